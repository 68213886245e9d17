import Synchronization
import System
import Testing

@Suite("Threads, bells and descriptors waited for")
struct EventTests {
    @Test("a bell is heard once for many rings, and not after it was cleared")
    func bell() throws {
        let bell = try WakeUp()
        var epoll = try Epoll(batch: 8)
        try epoll.add(bell.descriptor, .read)
        #expect(try epoll.wait(milliseconds: 0).isEmpty)
        bell.ring()
        bell.ring()
        let events = try epoll.wait(milliseconds: nil)
        #expect(events.map(\.descriptor) == [bell.descriptor])
        #expect(events.allSatisfy { $0.isReadable && !$0.isWritable && !$0.hasFailed })
        bell.clear()
        #expect(try epoll.wait(milliseconds: 0).isEmpty)
    }

    @Test("a descriptor is reported for what it is waited for, and no more once it is removed")
    func interest() throws {
        let bell = try WakeUp()
        var epoll = try Epoll(batch: 8)
        try epoll.add(bell.descriptor, .read)
        try epoll.change(bell.descriptor, to: [.read, .write])
        #expect(try epoll.wait(milliseconds: nil).allSatisfy { $0.isWritable && !$0.isReadable })
        epoll.remove(bell.descriptor)
        #expect(try epoll.wait(milliseconds: 0).isEmpty)
    }

    @Test("waiting for a descriptor that is not open is an error that names the call")
    func badDescriptor() throws {
        let epoll = try Epoll(batch: 1)
        #expect(throws: SystemError(call: "epoll_ctl", path: "descriptor -1", code: 9)) { try epoll.add(-1, .read) }
    }

    @Test("a thread has run when it is joined, and a bell wakes it from another thread")
    func thread() throws {
        let bell = try WakeUp()
        let heard = Mutex(false)
        let thread = try Thread(name: "listener with a long name") {
            guard var epoll = try? Epoll(batch: 1), (try? epoll.add(bell.descriptor, .read)) != nil else { return }
            let events = try? epoll.wait(milliseconds: nil)
            heard.withLock { $0 = events?.first?.descriptor == bell.descriptor }
        }
        bell.ring()
        thread.join()
        thread.join()
        #expect(heard.withLock { $0 })
    }
}
