import { decodeJwt } from 'jose/jwt/decode'
import { useSyncExternalStore } from 'react'
import { observedFetch } from './connection.ts'

/** What the page knows about signing in: whether the server asked for a token, and whether it rejected the one it got. */
interface SignInState {
  readonly isNeeded: boolean
  readonly wasRefused: boolean
}

/** The access token of one API in this tab (A19). It is never part of a URL, and gone with the tab. */
interface AccessToken {
  read(): string | undefined
  /** Whether the API has a token of its own in this tab, and not that of the other one. */
  isOwn(): boolean
  /** Keeps the token. Whether it is valid shows at the next call. */
  save(token: string): void
  /**
   * Keeps the token of a person who signs in.
   *
   * @returns whether it belongs to another user than the one before, who must not see what the page has read.
   */
  signIn(token: string): boolean
  /** Makes calls again after the person has signed in otherwise: at the identity provider. */
  retry(): void
  /** The header of each call, if there is a token. */
  authorization(): Record<string, string>
  /**
   * `fetch` that asks for a token when the server rejects the one of this tab. If the tab got another token meanwhile, the
   * call is made again with that one.
   */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Whether the page has to ask for a token. */
  useSignIn(): SignInState
}

/**
 * Creates the access token of one API.
 *
 * @param fallback token to send if this API has none of its own
 */
function createAccessToken(storageKey: string, fallback?: AccessToken): AccessToken {
  let state: SignInState = { isNeeded: false, wasRefused: false }
  const listeners = new Set<() => void>()
  /** For a browser that stores nothing for pages. */
  let inMemory: string | undefined

  function change(next: SignInState): void {
    if (next.isNeeded === state.isNeeded && next.wasRefused === state.wasRefused) return
    state = next
    for (const listener of listeners) listener()
  }

  function read(): string | undefined {
    try {
      return sessionStorage.getItem(storageKey) ?? fallback?.read()
    } catch {
      return inMemory ?? fallback?.read()
    }
  }

  const isOwn = () => read() !== undefined && read() !== fallback?.read()

  function save(token: string): void {
    try {
      sessionStorage.setItem(storageKey, token)
    } catch {
      inMemory = token
    }
    change({ isNeeded: false, wasRefused: false })
  }

  /** Whose rows the page may hold, as far as tokens tell. */
  let userOfPage = userOf(read() ?? '')

  function authorization(): Record<string, string> {
    const token = read()
    return token === undefined ? {} : bearer(token)
  }

  async function authorizedFetch(url: string, init: RequestInit): Promise<Response> {
    const response = await observedFetch(url, init)
    if (response.status !== 401) return response
    const sent = new Headers(init.headers)
    const now = new Headers({ ...Object.fromEntries(sent), ...authorization() })
    const wasOther = now.get('authorization') !== sent.get('authorization')
    // A stream was read by the first call.
    if (wasOther && !(init.body instanceof ReadableStream)) {
      await response.body?.cancel()
      return authorizedFetch(url, { ...init, headers: now })
    }
    if (!wasOther) change({ isNeeded: true, wasRefused: sent.has('authorization') })
    return response
  }

  return {
    read,
    isOwn,
    save,
    signIn(token) {
      const before = userOfPage
      const user = userOf(token)
      userOfPage = user ?? before
      save(token)
      return before !== undefined && user !== undefined && user !== before
    },
    retry: () => change({ isNeeded: false, wasRefused: false }),
    authorization,
    fetch: authorizedFetch,
    useSignIn: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
        () => state,
      ),
  }
}

/** Token for the agent platform. */
export const platformToken = createAccessToken('homeward.access-token')

/** Token for the device cloud. An administrator of the agent platform needs none. */
export const cloudToken = createAccessToken('homeward.cloud-token', platformToken)

/** Who a token of an identity provider is for (RFC 7519); undefined for others. Whether it is one the server decides. */
function userOf(token: string): string | undefined {
  try {
    const { iss, sub } = decodeJwt(token)
    return JSON.stringify([iss, sub])
  } catch {
    return undefined
  }
}

/** Whether a header carries it: with anything else no call could be made. */
export const canBeToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

/** The header that carries a token. */
export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
