extension FixedWidthInteger where Self: UnsignedInteger {
    /// All of its digits in lower-case hexadecimal, with the zeros in front.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}
