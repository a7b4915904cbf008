import { boundResponse, type FetchOption, toFetch } from '@homeward/kit/http'

const maxBytes = 4 * 1024 * 1024

/** A fetch whose answers fail once they are larger than 4 MiB. */
export function createBoundedFetch(given: FetchOption | undefined) {
  const fetch = toFetch(given)
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    boundResponse(await fetch(String(url), init), { maxBytes })
}
