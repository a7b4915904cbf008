const maxBytes = 4 * 1024 * 1024

/** A fetch whose answers fail once they are larger than 4 MiB. */
export function createBoundedFetch(fetchFrom: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchFrom(input, init)
    if (response.body === null) return response
    let bytes = 0
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes > maxBytes) controller.error(new Error('the answer is too large'))
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = response
    const bounded = new Response(response.body.pipeThrough(counted), { status, statusText, headers })
    // redirects within the origin are judged by where the answer came from
    Object.defineProperty(bounded, 'url', { value: response.url })
    return bounded
  }
}
