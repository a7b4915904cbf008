import { observedFetch } from './connection.ts'

const askEveryMs = 2000
/** Loading it anew has not helped when the same is missing again so soon. */
const shortestStayMs = 60_000
const storageKey = 'homeward.loaded-anew-at'

/**
 * Loads the page anew once its server answers: a browser remembers that a module could not be loaded for as long as the
 * document lives, so that asking for it again fails without a request. Does nothing when that was done a moment ago.
 *
 * @returns gives it up.
 */
export function loadAnewOnceServed(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = wasLoadedAnew()

  async function ask(): Promise<void> {
    // It is small, and needs no access token.
    const isServed = await observedFetch('/dashboard.json', {}).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isOver) return
    if (!isServed) timer = setTimeout(() => void ask(), askEveryMs)
    else if (rememberLoadingAnew()) location.reload()
  }

  if (!isOver) void ask()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

function wasLoadedAnew(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(storageKey) ?? 0) < shortestStayMs
  } catch {
    return true
  }
}

/** @returns whether it will be known: without that it could go on for ever. */
function rememberLoadingAnew(): boolean {
  try {
    sessionStorage.setItem(storageKey, String(Date.now()))
    return true
  } catch {
    return false
  }
}
