/**
 * A hook of the host's that hears of failures, made safe to call from anywhere: one that throws, or whose promise is
 * rejected, takes nothing with it.
 */
export function quietly(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  return (failure) => {
    try {
      // An async hook gives a promise, whatever its type says.
      const outcome = onError?.(failure)
      if (outcome instanceof Promise) outcome.catch(() => {})
    } catch {
      // There is nobody left to tell.
    }
  }
}
