import { type Component, Markdown, Text, truncateToWidth } from '@earendil-works/pi-tui'
import { cleanMarkdown } from '../../terminal/clean-text.ts'
import { toEndLines, toFileLine, toReasoningLine, toToolLine } from './part-lines.ts'
import type { ChatTheme } from './themes.ts'
import { isTurnOver, type Turn, type TurnPart } from '@homeward/contract/runs'

/** Shows one turn: text as Markdown, everything else on one line each. */
export interface TurnView extends Component {
  setTurn(turn: Turn): void
}

/** @param url of the server, for files that the model made */
export function createTurnView(theme: ChatTheme, url: string): TurnView {
  let turn: Turn | undefined
  /** Of text parts, by their place: a part that has not changed is not laid out again. */
  const texts = new Map<number, { source: string; view: Markdown }>()

  function toText(index: number, source: string): Markdown {
    const known = texts.get(index)
    if (known?.source === source) return known.view
    const view = known?.view ?? new Markdown('', 0, 0, theme.markdown, undefined, { renderLatex: false })
    view.setText(cleanMarkdown(source))
    texts.set(index, { source, view })
    return view
  }

  function partLines(part: TurnPart, index: number, width: number): readonly string[] {
    const fold = (line: string) => [theme.dim(truncateToWidth(line, width, '…'))]
    switch (part.kind) {
      case 'text':
        return toText(index, part.text).render(width)
      case 'tool': {
        const line = toToolLine(part)
        return part.state === 'failed' ? [theme.error(truncateToWidth(line, width, '…'))] : fold(line)
      }
      case 'reasoning': {
        const isThinking = turn !== undefined && !isTurnOver(turn) && index === turn.parts.length - 1
        return fold(toReasoningLine(part.text, isThinking))
      }
      case 'file':
        return new Text(toFileLine(part.file, url), 0, 0).render(width)
      case 'approval':
      default:
        return []
    }
  }

  return {
    setTurn(next) {
      turn = next
    },
    render(width) {
      if (turn === undefined) return []
      const lines: string[] = []
      let before: TurnPart['kind'] | undefined
      for (const [index, part] of turn.parts.entries()) {
        if (part.kind === 'approval') continue // it is asked about below the chat
        // text stands apart; calls stand together
        if (before !== undefined && (before === 'text') !== (part.kind === 'text')) lines.push('')
        lines.push(...partLines(part, index, width))
        before = part.kind
      }
      for (const { text, isError } of toEndLines(turn)) {
        const shown = isError ? theme.error(text) : theme.dim(text)
        lines.push(...new Text(shown, 0, 0).render(width))
      }
      return lines.length === 0 ? [] : [...lines, '']
    },
    invalidate() {
      for (const { view } of texts.values()) view.invalidate()
    },
  }
}
