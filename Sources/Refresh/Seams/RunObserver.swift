/// Sees a run go by: for events and for the progress line. Called from the run's own loop, so it must be quick.
package protocol RunObserver: Sendable {
    /// One receipt's outcome has been stored.
    func outcome(_ event: RefreshEvent)
    /// The run has come so far.
    func progress(_ progress: Progress)
    /// The store is away; it will be tried again for `patience`. Called once an outage, from the task that met it.
    func storeAway(_ failure: StoreFailure, patience: Duration)
    /// The store is back, and nobody waits for it any more.
    func storeBack()
}
