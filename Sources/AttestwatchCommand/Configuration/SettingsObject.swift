/// An object of the configuration whose keys are all known ones.
struct SettingsObject {
    /// The object itself.
    let setting: Setting
    private let members: [String: Setting]

    /// - Throws: at the first unknown key, with the known key it resembles.
    init(_ setting: Setting, keys: [String]) throws(ConfigurationError) {
        guard case .object(let found) = setting.node.value else {
            throw setting.wrong(expected: "an object", found: setting.node.value.kind)
        }
        var members: [String: Setting] = [:]
        for member in found {
            let isKnown = keys.contains(member.key)
            let place = setting.place.appending(isKnown ? member.key : excerpt(member.key))
            members[member.key] = Setting(node: member.node, path: place.path, source: setting.source)
            guard isKnown else {
                throw .unknownKey(
                    setting.source.place(of: member.keyOffset, path: place.path),
                    nearest: nearestWord(to: member.key, among: keys), known: keys)
            }
        }
        self.setting = setting
        self.members = members
    }

    /// The member of a key, where there is one.
    subscript(_ key: String) -> Setting? { members[key] }

    /// The member of a key that must be there.
    func required(_ key: String, _ expected: String) throws(ConfigurationError) -> Setting {
        guard let member = members[key] else {
            throw .missingKey(setting.place, key: key, expected: expected)
        }
        return member
    }

    /// What `decode` makes of a member; the default where there is none.
    func value<Value>(
        _ key: String, default standard: Value, _ decode: (Setting) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value {
        guard let member = members[key] else { return standard }
        return try decode(member)
    }
}
