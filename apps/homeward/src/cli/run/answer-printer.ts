import type { RunNews } from '../run-events/read-run-events.ts'
import { createTextCleaner } from '../text/clean-text.ts'

/** Prints the text of an answer as it arrives, and nothing else. */
export interface AnswerPrinter {
  /** Takes the events of one run, in order. */
  add(news: RunNews): void
  /** Ends the last line. */
  end(): void
}

/**
 * Prints text through `write`. Texts with tool calls between them are separated by an empty line. Text that a server emits
 * a second time after a crash is printed once. What a terminal acts on is taken out.
 */
export function createAnswerPrinter(write: (text: string) => void): AnswerPrinter {
  const cleaner = createTextCleaner()
  let lastCharacter = ''
  let isSeparate = false
  let hasText = false
  let arrived = 0
  /** Characters that were printed before the events began again. */
  let known = 0

  function print(text: string): void {
    if (text === '') return
    if (isSeparate && lastCharacter !== '') write(lastCharacter === '\n' ? '\n' : '\n\n')
    isSeparate = false
    lastCharacter = text.at(-1) ?? ''
    write(text)
  }

  function addText(delta: string): void {
    hasText = true
    const skipped = Math.max(0, Math.min(known - arrived, delta.length))
    arrived += delta.length
    print(cleaner.add(delta.slice(skipped)))
  }

  function separate(): void {
    hasText = false
    if (arrived >= known) isSeparate = true
  }

  return {
    add(news) {
      if (news.event === 'assistant') addText(news.data.delta)
      else if (news.event === 'tool_start') separate()
      else if (news.event === 'restart') {
        known = Math.max(known, arrived)
        arrived = 0
        hasText = false
      } else if (news.event === 'done' && !hasText) addText(news.data.finalContent)
    },
    end() {
      print(cleaner.end())
      if (lastCharacter !== '' && lastCharacter !== '\n') write('\n')
    },
  }
}
