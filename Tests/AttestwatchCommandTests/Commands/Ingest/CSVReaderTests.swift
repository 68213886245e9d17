import AttestwatchCommand
import Foundation
import System
import TestSupport
import Testing

@Suite("Reading CSV")
struct CSVReaderTests {
    /// A text and its records: lines, and fields or damage.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let records: [(line: Int, found: Found)]

        init(_ description: String, _ text: String, _ records: (Int, Found)...) {
            testDescription = description
            self.text = text
            self.records = records.map { (line: $0.0, found: $0.1) }
        }
    }

    enum Found: Hashable, Sendable {
        case fields([String])
        case damaged(CSVDamage)
    }

    // RFC 4180 § 2, by its numbers, and what programs write beside it.
    private static let rows: [Row] = [
        Row("1: lines end with CRLF", "a,b\r\nc,d\r\n", (1, .fields(["a", "b"])), (2, .fields(["c", "d"]))),
        Row("2: the last line needs no end", "a,b\r\nc,d", (1, .fields(["a", "b"])), (2, .fields(["c", "d"]))),
        Row("4: spaces belong to a field", " a ,b \n", (1, .fields([" a ", "b "]))),
        Row("4: empty fields", ",a,\r\n", (1, .fields(["", "a", ""]))),
        Row("5: fields in quotes", "\"a\",b\r\n", (1, .fields(["a", "b"]))),
        Row("5: an empty field in quotes", "\"\"\n", (1, .fields([""]))),
        Row(
            "6: commas and line ends in quotes", "\"a,\r\nb\n\",c\r\nd,e\r\n", (1, .fields(["a,\r\nb\n", "c"])),
            (4, .fields(["d", "e"]))),
        Row("7: doubled quotes", "\"a\"\"b\",\"\"\"\"\n", (1, .fields(["a\"b", "\""]))),
        Row("lines end with LF", "a\nb\n", (1, .fields(["a"])), (2, .fields(["b"]))),
        Row("a quoted field at the end", "a,\"b\"", (1, .fields(["a", "b"]))),
        Row("a quoted field and CR at the end", "a,\"b\"\r", (1, .fields(["a", "b"]))),
        Row("a CR at the end", "a,b\r", (1, .fields(["a", "b"]))),
        Row("a CR within a line is text", "a\rb,c\n", (1, .fields(["a\rb", "c"]))),
        Row("empty lines are none", "\r\na\n\n\r\nb\n\n", (2, .fields(["a"])), (5, .fields(["b"]))),
        Row("nothing", ""),
        Row("characters of more than a byte", "é,\"日\n本\"\n", (1, .fields(["é", "日\n本"]))),
        Row(
            "a quote inside a field", "a\"b,c\nd\n", (1, .damaged(.strayQuote)), (2, .fields(["d"]))),
        Row(
            "text behind a quote", "\"a\"b,c\nd\n", (1, .damaged(.textBehindQuote)), (2, .fields(["d"]))),
        Row("a CR behind a quote and no LF", "\"a\"\rb\nd\n", (1, .damaged(.textBehindQuote)), (2, .fields(["d"]))),
        Row(
            "a quote that nothing ends", "a\n\"b\nc\nd", (1, .fields(["a"])),
            (2, .damaged(.unclosedQuote(line: 2, lastLine: 4)))),
        Row(
            "a quote that nothing ends behind a field of two lines", "\"a\n\",\"b\nc\n",
            (1, .damaged(.unclosedQuote(line: 2, lastLine: 4)))),
        Row(
            "a record that is too long", "\(String(repeating: "x", count: 101))\nd\n",
            (1, .damaged(.tooLong(limit: 100))), (2, .fields(["d"]))),
        Row(
            "many fields that are too long together", "\(String(repeating: ",", count: 101))\nd\n",
            (1, .damaged(.tooLong(limit: 100))), (2, .fields(["d"]))),
        Row(
            "a quote that nothing ends, and a record that is too long: its line is lost, the next is read",
            "\"\(String(repeating: "x\n", count: 60))\na,b\n\"c\"\n",
            (1, .damaged(.unclosedQuote(line: 1, lastLine: 51))),
            (52, .fields(["x"])), (53, .fields(["x"])), (54, .fields(["x"])), (55, .fields(["x"])),
            (56, .fields(["x"])), (57, .fields(["x"])), (58, .fields(["x"])), (59, .fields(["x"])),
            (60, .fields(["x"])), (62, .fields(["a", "b"])), (63, .fields(["c"]))),
    ]

    @Test("each rule of RFC 4180, and damage of each kind, in pieces of any size", arguments: rows)
    func table(row: Row) throws {
        let scratch = try Scratch()
        let path = try scratch.write("table.csv", Array(row.text.utf8))
        for pieceSize in [1, 2, 3, 7, 1 << 18] {
            let file = try OpenFile.reading(path)
            var reader = CSVReader(PieceReader(file.descriptor, pieceSize: pieceSize), limit: 100)
            var found: [(line: Int, found: Found)] = []
            while let (line, record) = try reader.next() {
                switch record {
                case .fields(let fields):
                    found.append((line, .fields(fields.map { String(decoding: $0, as: UTF8.self) })))
                case .damaged(let damage): found.append((line, .damaged(damage)))
                }
            }
            #expect(found.map(\.line) == row.records.map(\.line), "pieces of \(pieceSize)")
            #expect(found.map(\.found) == row.records.map(\.found), "pieces of \(pieceSize)")
            #expect(reader.position.offset == Int64(row.text.utf8.count))
        }
    }

    @Test("a stop that is asked for while nothing comes ends the reading; what has begun to come counts for nothing")
    func interrupted() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("a,b\nc,".utf8))
        let descriptor = FileDescriptor(borrowing: pipe.fileHandleForReading.fileDescriptor, name: "pipe")
        var reader = CSVReader(PieceReader(descriptor, stopRequested: { true }), limit: 100)
        let first = try reader.next()
        #expect(first?.line == 1 && first?.record == .fields([[0x61], [0x62]]))
        #expect(try reader.next()?.line == nil)
        #expect(reader.isInterrupted)
        try pipe.fileHandleForWriting.close()
    }

    @Test("reading goes on at any record's end as though it had never stopped")
    func positions() throws {
        let text = "a,\"b\r\nc\"\r\n\r\nd,e\n\"f\",\"g\"\"\"\nh"
        let scratch = try Scratch()
        let path = try scratch.write("positions.csv", Array(text.utf8))
        func records(_ reader: inout CSVReader) throws -> [CSVReader.Record] {
            var records: [CSVReader.Record] = []
            while let (_, record) = try reader.next() { records.append(record) }
            return records
        }
        let file = try OpenFile.reading(path)
        var whole = CSVReader(PieceReader(file.descriptor, pieceSize: 5), limit: 100)
        let all = try records(&whole)
        #expect(all.count == 4)
        for count in 1...all.count {
            let first = try OpenFile.reading(path)
            var reader = CSVReader(PieceReader(first.descriptor, pieceSize: 5), limit: 100)
            for _ in 0..<count { _ = try reader.next() }
            let second = try OpenFile.reading(path)
            try second.descriptor.seek(to: reader.position.offset)
            var rest = CSVReader(PieceReader(second.descriptor, at: reader.position), limit: 100)
            let (line, _) = try reader.next() ?? (0, .fields([]))
            #expect(try records(&rest) == Array(all[count...]))
            #expect(count == all.count || line == [4, 5, 6][count - 1])
        }
    }
}
