/// The word that somebody probably meant: the nearest by edits, where at most a third of its letters differ.
func nearestWord(to word: String, among words: [String]) -> String? {
    let ranked = words.map { (word: $0, distance: editDistance(word, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.count / 3) ? best.word : nil
}

// Levenshtein's distance, one row at a time.
private func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (line, byte) in left.utf8.enumerated() {
        var diagonal = row[0]
        row[0] = line + 1
        for (column, other) in right.enumerated() {
            let substituted = diagonal + (byte == other ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
