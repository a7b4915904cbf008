/** Where Node keeps what its `fetch` sends requests with, the newest name first. */
const dispatcherKeys = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

interface Dispatcher {
  dispatch(options: object, handler: unknown): unknown
}

/** Without limits on the time to the first byte and between two. */
const patient: Dispatcher = {
  dispatch: (options, handler) =>
    findDispatcher()?.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
}

/**
 * The global `fetch`, for answers that may take longer than five minutes to their first byte or between two bytes: that is where
 * Node's gives up, while a large model on a small machine still works. Whoever calls ends the request with a signal. Proxies and
 * certificates of the process keep applying.
 */
export const patientFetch: typeof fetch = async (input, init) => {
  // Node loads what its fetch sends with when one of its classes is used first.
  void new Response()
  if (!findDispatcher()) return globalThis.fetch(input, init)
  const options: RequestInit & { readonly dispatcher: Dispatcher } = { ...init, dispatcher: patient }
  return globalThis.fetch(input, options)
}

function findDispatcher(): Dispatcher | undefined {
  for (const key of dispatcherKeys) {
    const found: unknown = Reflect.get(globalThis, key)
    if (isDispatcher(found)) return found
  }
  return undefined
}

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'dispatch') === 'function'
