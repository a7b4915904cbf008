import { onAbort, untilAborted } from '@homeward/kit'

/** Bounds the memory of work that holds many bytes: what is too much at once waits for its turn. */
export interface ByteGate {
  /**
   * Waits until there is room. Work that is larger than the gate goes alone.
   *
   * @returns a function to call once the bytes are held no more. An abort does the same.
   * @throws {unknown} the signal's reason.
   */
  enter(bytes: number, signal: AbortSignal): Promise<() => void>
}

/** @param capacity bytes that are held at once */
export function createByteGate(capacity: number): ByteGate {
  let held = 0
  let waiting: { readonly bytes: number; readonly open: () => void }[] = []

  function openNext(): void {
    for (const place of waiting) {
      if (held > 0 && held + place.bytes > capacity) return
      waiting = waiting.filter((each) => each !== place)
      held += place.bytes
      place.open()
    }
  }

  return {
    async enter(bytes, signal) {
      let isInside = false
      let place: (typeof waiting)[number] | undefined
      const opened = new Promise<void>((resolve) => {
        place = {
          bytes,
          open() {
            isInside = true
            resolve()
          },
        }
        waiting.push(place)
      })
      const leave = () => {
        waiting = waiting.filter((each) => each !== place)
        if (isInside) held -= bytes
        isInside = false
        openNext()
      }
      const forget = onAbort(signal, leave)
      openNext()
      try {
        await untilAborted(opened, signal)
      } catch (error) {
        leave()
        throw error
      }
      return () => {
        forget()
        leave()
      }
    },
  }
}
