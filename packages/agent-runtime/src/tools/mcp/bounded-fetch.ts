import { boundResponse, type FetchOption, toFetch } from '@homeward/kit/http'

import { maxMessageBytes } from './max-message-bytes.ts'

/** A fetch whose answers fail once they are larger than {@link maxMessageBytes}. */
export function createBoundedFetch(given: FetchOption | undefined) {
  const fetch = toFetch(given)
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    boundResponse(await fetch(String(url), init), { maxBytes: maxMessageBytes })
}
