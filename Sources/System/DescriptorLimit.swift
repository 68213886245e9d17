import Glibc

/// How many descriptors this process may have open at a time: the soft limit of RLIMIT_NOFILE (getrlimit(2)).
package func descriptorLimit() -> Int {
    var limits = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 0 }
    return Int(clamping: limits.rlim_cur)
}
