import type { ClientError } from '@homeward/contract/client'
import { useSyncExternalStore } from 'react'

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

/** The token of this tab (A19). It is never part of a URL, and gone with the tab. */
export function readAccessToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined
}

/** Keeps the token for this tab. Whether it is right shows at the next call. */
export function saveAccessToken(token: string): void {
  sessionStorage.setItem(storageKey, token)
  change({ isNeeded: false, wasRefused: false })
}

/** Forgets the token: the next call asks for one again, where the server wants one. */
export function forgetAccessToken(): void {
  sessionStorage.removeItem(storageKey)
}

function askForAccessToken(): void {
  change({ isNeeded: true, wasRefused: readAccessToken() !== undefined })
}

/** The header of each call, where there is a token. */
export function authorization(): Record<string, string> {
  const token = readAccessToken()
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Asks for a token when that is what a call failed for; to be told every error of a client. */
export function noticeRefusal(error: ClientError): ClientError {
  if (error.status === 401) askForAccessToken()
  return error
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
