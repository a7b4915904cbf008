/**
 * A hook of the host's that hears of failures, made safe to call from anywhere: one that throws, or whose promise is
 * rejected, takes nothing with it.
 */
export function safeHook<Given extends readonly unknown[]>(
  hook: ((...given: Given) => unknown) | undefined,
): (...given: Given) => void {
  return (...given) => {
    try {
      // An async hook gives a promise, whatever its type says.
      const outcome = hook?.(...given)
      if (outcome instanceof Promise) outcome.catch(() => {})
    } catch {
      // There is nobody left to tell.
    }
  }
}
