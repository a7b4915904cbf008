/** Wraps a hook of your app, so that an error in it has no further effect. */
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
