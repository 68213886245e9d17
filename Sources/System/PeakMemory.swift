import Glibc

/// The most memory that this process has had resident at one time, in bytes: `VmHWM` of proc(5).
///
/// Not `ru_maxrss` of getrusage(2), which counts what the program before `exec` had.
///
/// - Throws: what the kernel said; `EINVAL` where its table has no such line.
package func peakResidentBytes() throws(SystemError) -> Int64 {
    let path = "/proc/self/status"
    let table = String(decoding: try OpenFile.reading(path).readToEnd(limit: 65_536), as: UTF8.self)
    for line in table.split(separator: "\n") where line.hasPrefix("VmHWM:") {
        let words = line.split(whereSeparator: \.isWhitespace)
        if words.count == 3, words[2] == "kB", let kibibytes = Int64(words[1]) { return kibibytes * 1_024 }
    }
    throw SystemError(call: "read", path: path, code: EINVAL)
}
