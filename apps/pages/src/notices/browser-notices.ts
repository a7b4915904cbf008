import { useSyncExternalStore } from 'react'

const storageKey = 'homeward.notices'
const listeners = new Set<() => void>()
let current: boolean | undefined

/** Whether the browser can show notifications: on plain HTTP most do so for this machine's own address only. */
export const canNotify = (): boolean => typeof Notification !== 'undefined' && window.isSecureContext

function isOn(): boolean {
  current ??= readStored()
  return current && canNotify() && Notification.permission === 'granted'
}

function readStored(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'on'
  } catch {
    return false
  }
}

function change(next: boolean): void {
  current = next
  try {
    localStorage.setItem(storageKey, next ? 'on' : 'off')
  } catch {
    // It counts until the page is closed.
  }
  for (const listener of listeners) listener()
}

/**
 * Switches the notifications of this browser on or off. Switching on asks the person for permission.
 *
 * @returns whether they are as wanted: the person, or the browser, may have denied them.
 */
export async function switchNotices(wanted: boolean): Promise<boolean> {
  if (!wanted || !canNotify()) {
    change(false)
    return !wanted
  }
  const isGranted = (await Notification.requestPermission()) === 'granted'
  change(isGranted)
  return isGranted
}

/** Whether this browser shows notifications. */
export function useNotices(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, isOn)
}

/** Shows a notification if a person asked for them and does not look at the page. */
export function notify(title: string, body: string, onClick: () => void): void {
  if (!isOn() || document.visibilityState === 'visible') return
  // One that is still there is replaced: many runs make no tower of notices.
  const notice = new Notification(title, { body, tag: title })
  notice.addEventListener('click', () => {
    window.focus()
    onClick()
    notice.close()
  })
}
