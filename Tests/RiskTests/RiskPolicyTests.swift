import Risk
import Testing

@Suite("Thresholds that fit together")
struct RiskPolicyTests {
    private static func policy(_ values: [Int]) -> RiskPolicy {
        RiskPolicy(
            watch: Threshold(raise: values[0], clear: values[1]),
            review: Threshold(raise: values[2], clear: values[3]),
            high: Threshold(raise: values[4], clear: values[5]))
    }

    @Test("The standard thresholds have no problem")
    func standard() {
        #expect(RiskPolicy.standard.problems.isEmpty)
    }

    @Test("Equal clearing values are allowed: a flag may clear in one step")
    func equalClearing() {
        #expect(Self.policy([4, 2, 6, 2, 20, 2]).problems.isEmpty)
    }

    @Test(
        "Each broken relation is told with both values",
        arguments: [
            ([4, 4, 6, 4, 20, 13], "watch.clear (4) must be below watch.raise (4)"),
            ([4, 2, 6, 9, 20, 13], "review.clear (9) must be below review.raise (6)"),
            ([6, 2, 6, 4, 20, 13], "watch.raise (6) must be below review.raise (6)"),
            ([4, 2, 30, 4, 20, 13], "review.raise (30) must be below high.raise (20)"),
            ([4, 3, 6, 2, 20, 13], "watch.clear (3) must not be above review.clear (2)"),
            ([4, -1, 6, 4, 20, 13], "watch.clear must be 0 or more, found -1"),
        ])
    func problems(values: [Int], text: String) {
        #expect(Self.policy(values).problems == [text])
    }
}
