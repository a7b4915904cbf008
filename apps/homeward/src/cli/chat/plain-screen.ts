import { cleanText, createTextCleaner, type TextCleaner } from '../../terminal/clean-text.ts'
import type { ChatScreen } from './chat-screen.ts'
import { connectionLost, notReached } from './status-line.ts'
import { toDetails, toEndLines, toFileLine, toQuestion, toToolLine } from './part-lines.ts'
import { isTurnOver, waitingApprovals, type Turn, type TurnPart } from '@homeward/contract/runs'

/** A text part that is being printed. */
interface PrintedText {
  readonly cleaner: TextCleaner
  /** Characters that were given to the cleaner. */
  length: number
}

/**
 * A chat that is only appended to: for terminals without a cursor, screen readers and recordings. Nothing is printed twice.
 *
 * @param url of the server, for files that the model made
 */
export function createPlainScreen(write: (text: string) => void, url: string): ChatScreen {
  let texts = new Map<number, PrintedText>()
  let printedParts = new Set<number>()
  let askedId: string | undefined
  let detailedId: string | undefined
  let isInLine = false
  let wasConnected = true

  function print(text: string): void {
    if (text === '') return
    isInLine = !text.endsWith('\n')
    write(text)
  }
  const printLine = (text: string) => print(`${isInLine ? '\n' : ''}${text}\n`)

  function printText(index: number, text: string): void {
    const known = texts.get(index) ?? { cleaner: createTextCleaner(), length: 0 }
    if (!texts.has(index) && isInLine) print('\n')
    texts.set(index, known)
    print(known.cleaner.add(text.slice(known.length)))
    known.length = Math.max(known.length, text.length)
  }

  function printPart(part: TurnPart, index: number): void {
    if (part.kind === 'text') return printText(index, part.text)
    if (printedParts.has(index) || part.kind === 'reasoning' || part.kind === 'approval') return
    if (part.kind === 'tool' && part.state === 'running') return
    printedParts.add(index)
    printLine(part.kind === 'tool' ? toToolLine(part) : toFileLine(part.file, url))
  }

  function showTurn(turn: Turn): void {
    for (const [index, part] of turn.parts.entries()) printPart(part, index)
    const call = waitingApprovals(turn)[0]
    if (call === undefined || call.id === askedId || isTurnOver(turn)) return
    askedId = call.id
    printLine(`${toQuestion(call)} Type y (approve), n (deny) or d (details), then Enter.`)
  }

  return {
    showMessage(text, files, isTyped) {
      if (!isTyped) printLine(cleanText([`> ${text}`, ...files].join('\n')))
    },
    showTurn,
    endTurn(turn) {
      showTurn(turn)
      for (const { cleaner } of texts.values()) print(cleaner.end())
      for (const { text } of toEndLines(turn)) printLine(text)
      if (isInLine) print('\n')
      texts = new Map()
      printedParts = new Set()
      askedId = undefined
    },
    showNote: (text) => printLine(cleanText(text)),
    showError: (text) => printLine(cleanText(text)),
    showStatus({ isConnected, hasBegun, waiting, isDetailed }) {
      if (isDetailed && waiting !== undefined && waiting.id !== detailedId) printLine(toDetails(waiting))
      detailedId = isDetailed ? waiting?.id : undefined
      if (isConnected === wasConnected) return
      wasConnected = isConnected
      printLine(isConnected ? 'Connected again.' : hasBegun ? connectionLost : notReached)
    },
    restoreInput: (text) => printLine(`Not sent: ${cleanText(text)}`),
  }
}
