import AppAttest
import Refresh
import Risk

/// The list of flagged devices in its three forms.
package enum FlagReport {
    /// What is printed for people when the list is empty.
    package static let emptyText = "no flagged devices\n"

    /// A table for people, most severe first as the rows come; a sentence when there are none.
    package static func table(_ devices: [FlaggedDevice]) -> String {
        guard !devices.isEmpty else { return emptyText }
        var table = Table([
            .words("LEVEL"), .numbers("METRIC"), .words("METRIC TIME"), .words("STANDS"), .numbers("PEAK"),
            .numbers("KEYS"), .words("OPENED"), .words("APP"), .words("ENVIRONMENT"), .words("DEVICE"),
            .words("USER"), .words("NEWEST KEY"), .words("REVIEW"),
        ])
        for device in devices {
            table.add([
                device.level.rawValue, device.riskMetric.map(String.init), device.metricTime?.secondsText,
                device.freshness.rawValue, device.peakMetric.map(String.init), String(device.keyCount),
                device.openedTime.secondsText, device.appID.text, device.environment.rawValue, device.deviceRef,
                device.userRef, device.keyID.base64, device.review?.verdict,
            ])
        }
        return table.text
    }

    private static let csvTitles = [
        "app_id", "environment", "device_ref", "user_ref", "key_id", "level", "risk_metric", "metric_time",
        "freshness", "peak_metric", "key_count", "opened_time", "changed_time",
        "reviewed_time", "reviewed_by", "review_verdict", "review_note",
    ]

    /// CSV with a line of titles; the titles alone when there are no devices.
    package static func csv(_ devices: [FlaggedDevice]) -> String {
        var text = CSVLine.text(csvTitles)
        for device in devices {
            text += CSVLine.text([
                device.appID.text, device.environment.rawValue, device.deviceRef, device.userRef,
                device.keyID.base64, device.level.rawValue, device.riskMetric.map(String.init),
                device.metricTime?.rfc3339, device.freshness.rawValue, device.peakMetric.map(String.init),
                String(device.keyCount), device.openedTime.rfc3339, device.changedTime.rfc3339,
                device.review?.time.rfc3339, device.review?.reviewer, device.review?.verdict, device.review?.note,
            ])
        }
        return text
    }

    /// One JSON object a line; nothing when there are no devices.
    package static func jsonLines(_ devices: [FlaggedDevice]) -> String {
        devices.map { json($0).text + "\n" }.joined()
    }

    private static func json(_ device: FlaggedDevice) -> JSONValue {
        .object([
            "app_id": .string(device.appID.text),
            "environment": .string(device.environment.rawValue),
            "device_ref": .text(device.deviceRef),
            "user_ref": .text(device.userRef),
            "key_id": .string(device.keyID.base64),
            "level": .string(device.level.rawValue),
            "risk_metric": .number(device.riskMetric),
            "metric_time": .text(device.metricTime?.rfc3339),
            "freshness": .string(device.freshness.rawValue),
            "peak_metric": .number(device.peakMetric),
            "key_count": .integer(device.keyCount),
            "opened_time": .string(device.openedTime.rfc3339),
            "changed_time": .string(device.changedTime.rfc3339),
            "reviewed_time": .text(device.review?.time.rfc3339),
            "reviewed_by": .text(device.review?.reviewer),
            "review_verdict": .text(device.review?.verdict),
            "review_note": .text(device.review?.note),
        ])
    }
}
