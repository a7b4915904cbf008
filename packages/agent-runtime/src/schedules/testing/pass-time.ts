import { vi } from 'vitest'

const realImmediate = setImmediate

/** Lets fake time pass, a second at a time; stores answer in turns of the event loop that no fake timer knows of. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    await settle()
    await vi.advanceTimersByTimeAsync(Math.min(left, 1000))
  }
  await settle()
}

/** Lets the stores answer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise<void>((resolve) => realImmediate(resolve))
}
