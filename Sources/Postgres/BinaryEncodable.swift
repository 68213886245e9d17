/// A value that knows its binary format.
protocol BinaryEncodable {
    /// Appends the bytes of PostgreSQL's binary format.
    func encode(to buffer: inout [UInt8])
}

extension Bool: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.append(self ? 1 : 0) }
}

extension Int64: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension String: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.append(contentsOf: utf8) }
}

extension [UInt8]: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.append(contentsOf: self) }
}

extension Timestamp: BinaryEncodable {
    func encode(to buffer: inout [UInt8]) { buffer.appendBigEndian(unixMicroseconds - Self.serverEpoch) }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }

    /// Overwrites four bytes with an integer in network byte order.
    mutating func overwriteBigEndian(_ value: Int32, at place: Int) {
        for index in 0..<4 {
            self[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
        }
    }
}
