import type { RunEvent } from '@homeward/contract/agent-platform'

/** Events of an answer that nobody sees before its guards were asked. */
export interface HeldAnswer {
  add(event: RunEvent): void
  /** Shows them. @param text in place of the model's @default the model's */
  release(text?: string): void
}

/** Holds events back from a stream. One that is never released is forgotten with the answer. */
export function createHeldAnswer(push: (event: RunEvent) => void): HeldAnswer {
  const events: RunEvent[] = []
  return {
    add: (event) => void events.push(event),
    release(text) {
      let left = text
      for (const event of events.splice(0)) {
        if (text === undefined || event.event !== 'assistant') push(event)
        else if (left) {
          push({ event: 'assistant', data: { delta: left } })
          left = ''
        }
      }
      // an answer of files alone may have been replaced by a text
      if (left) push({ event: 'assistant', data: { delta: left } })
    },
  }
}
