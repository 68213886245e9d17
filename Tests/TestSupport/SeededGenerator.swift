/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed, so that a failing case can be run again.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at a seed.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number of the range.
    package mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// One of the elements, of which there has to be one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[pick(elements.indices)] }

    /// Yes once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool { pick(0..<count) == 0 }
}
