import { chatCommands } from './parse-input.ts'

const commandLines = chatCommands.map(({ name, argument, summary }) => {
  return `/${[name, argument].filter(Boolean).join(' ')}: ${summary}`
})

/** What `/help` shows. Short lines: a terminal may have 40 columns. */
export const helpText = [
  ...commandLines,
  '',
  'Enter sends. Alt+Enter, or a backslash before Enter, starts a new line.',
  'Up and down arrow: earlier messages. Tab: completes commands and paths.',
  'Drop a file on the terminal, then press Enter, to attach it.',
  'Ctrl+C stops the answer; without one, it leaves.',
  'Start with // to send a text that begins with a slash.',
].join('\n')
