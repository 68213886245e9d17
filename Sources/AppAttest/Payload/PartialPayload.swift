/// A payload as far as it can be read: what is there and legible, and everything that is wrong with it.
///
/// This is the only place that gives meaning to fields; `ReceiptPayload` is one without problems.
public struct PartialPayload: Sendable {
    /// Field 2.
    public private(set) var appID: AppID?
    /// Field 3.
    public private(set) var attestedCertificate: [UInt8]?
    /// Field 4.
    public private(set) var clientHash: [UInt8]?
    /// Field 5.
    public private(set) var token: [UInt8]?
    /// Field 6.
    public private(set) var type: ReceiptType?
    /// Field 7.
    public private(set) var environment: Environment?
    /// Field 12.
    public private(set) var creationTime: ReceiptTime?
    /// Field 17; nil is *unknown*, never 0.
    public private(set) var riskMetric: Int?
    /// Field 19.
    public private(set) var notBefore: ReceiptTime?
    /// Field 21.
    public private(set) var expirationTime: ReceiptTime?
    /// Fields without a name here, in the order they came.
    public private(set) var unknownFields: [ReceiptField] = []
    /// The numbers of all fields, in the order they came.
    public private(set) var fieldOrder: [Int] = []
    /// What is wrong, in the order it was found; empty for a payload that can be used.
    public private(set) var problems: [ReceiptError] = []

    /// Reads a payload, an envelope's content; never fails, but may be left with problems alone.
    public init(reading content: [UInt8]) {
        let read = ReceiptFields(reading: content)
        fieldOrder.reserveCapacity(read.fields.count)
        for field in read.fields {
            if fieldOrder.contains(field.number) {
                problems.append(.duplicateField(field.number))
            } else if let number = FieldNumber(rawValue: field.number) {
                keep(field, as: number)
            } else {
                unknownFields.append(field)
            }
            fieldOrder.append(field.number)
        }
        if let problem = read.problem { problems.append(problem) }
        for number in FieldNumber.required where !fieldOrder.contains(number.rawValue) {
            problems.append(.missingField(number))
        }
        checkOrderOfTimes()
    }

    private mutating func keep(_ field: ReceiptField, as number: FieldNumber) {
        guard field.version == 1 else {
            problems.append(.fieldVersion(number, expected: 1, found: field.version))
            return
        }
        do throws(ReceiptError) {
            switch number {
            case .appID: appID = try FieldValue.appID(field.value)
            case .attestedCertificate: attestedCertificate = try FieldValue.octets(field.value, of: number)
            case .clientHash: clientHash = try FieldValue.octets(field.value, of: number)
            case .token: token = try FieldValue.octets(field.value, of: number)
            case .receiptType: type = try FieldValue.receiptType(field.value)
            case .environment: environment = try FieldValue.environment(field.value)
            case .creationTime: creationTime = try FieldValue.time(field.value, of: number)
            case .riskMetric: riskMetric = try FieldValue.riskMetric(field.value)
            case .notBefore: notBefore = try FieldValue.time(field.value, of: number)
            case .expirationTime: expirationTime = try FieldValue.time(field.value, of: number)
            }
        } catch {
            problems.append(error)
        }
    }

    private mutating func checkOrderOfTimes() {
        guard let expirationTime else { return }
        if let creationTime, creationTime.instant >= expirationTime.instant {
            problems.append(
                .expirationNotAfterCreation(creation: creationTime.text, expiration: expirationTime.text))
        }
        if let notBefore, notBefore.instant >= expirationTime.instant {
            problems.append(.notBeforeAfterExpiration(notBefore: notBefore.text, expiration: expirationTime.text))
        }
    }
}
