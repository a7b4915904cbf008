import { decodeJwt } from 'jose/jwt/decode'
import { useSyncExternalStore } from 'react'
import { observedFetch } from './connection.ts'

const storageKey = 'homeward.access-token'

/** What the page knows about signing in: whether the server asked for a token, and whether it refused the one it got. */
export interface SignInState {
  readonly isNeeded: boolean
  readonly wasRefused: boolean
}

let state: SignInState = { isNeeded: false, wasRefused: false }
const listeners = new Set<() => void>()

function change(next: SignInState): void {
  if (next.isNeeded === state.isNeeded && next.wasRefused === state.wasRefused) return
  state = next
  for (const listener of listeners) listener()
}

/** For a browser that keeps nothing for pages. */
let unkept: string | undefined

/** The token of this tab (A19). It is never part of a URL, and gone with the tab. */
export function readAccessToken(): string | undefined {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined
  } catch {
    return unkept
  }
}

/** Keeps the token for this tab. Whether it is right shows at the next call. */
export function saveAccessToken(token: string): void {
  try {
    sessionStorage.setItem(storageKey, token)
  } catch {
    unkept = token
  }
  change({ isNeeded: false, wasRefused: false })
}

/** Whose rows the page may hold, as far as tokens tell. */
let userOfPage = userOf(readAccessToken() ?? '')

/**
 * Keeps the token of somebody who signs in.
 *
 * @returns whether it is another user's than the one before: then what the page has read is not theirs to see.
 */
export function signInWith(token: string): boolean {
  const before = userOfPage
  const user = userOf(token)
  userOfPage = user ?? before
  saveAccessToken(token)
  return before !== undefined && user !== undefined && user !== before
}

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

/** The header of each call, where there is a token. */
export function authorization(): Record<string, string> {
  const token = readAccessToken()
  return token === undefined ? {} : bearer(token)
}

/**
 * `fetch` that asks for a token when the server refuses the tab's. A refusal of another one, which the tab had when the call
 * was made, says nothing about the one of now: the call is made again with that.
 */
export async function authorizedFetch(url: string, init: RequestInit): Promise<Response> {
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

/** Whether the page has to ask for a token. */
export function useSignIn(): SignInState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => state,
  )
}
