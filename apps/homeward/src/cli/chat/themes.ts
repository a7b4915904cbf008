import { styleText } from 'node:util'
import type { EditorTheme, MarkdownTheme } from '@earendil-works/pi-tui'

type Style = Parameters<typeof styleText>[0]

/** How parts of a chat look. Without color every style leaves its text as it is. */
export interface ChatTheme {
  readonly dim: (text: string) => string
  readonly error: (text: string) => string
  readonly question: (text: string) => string
  readonly person: (text: string) => string
  readonly markdown: MarkdownTheme
  readonly editor: EditorTheme
}

export function createChatTheme(hasColor: boolean): ChatTheme {
  const style = (name: Style) => (text: string) => {
    return hasColor ? styleText(name, text, { validateStream: false }) : text
  }
  const plain = (text: string) => text
  const dim = style('dim')
  return {
    dim,
    error: style('red'),
    question: style('yellow'),
    person: style('bold'),
    markdown: {
      heading: style('bold'),
      link: style('cyan'),
      linkUrl: dim,
      code: style('cyan'),
      codeBlock: plain,
      codeBlockBorder: dim,
      quote: style('italic'),
      quoteBorder: dim,
      hr: dim,
      listBullet: style('cyan'),
      bold: style('bold'),
      italic: style('italic'),
      strikethrough: style('strikethrough'),
      underline: style('underline'),
    },
    editor: {
      borderColor: dim,
      selectList: {
        selectedPrefix: style('cyan'),
        selectedText: style('cyan'),
        description: dim,
        scrollInfo: dim,
        noMatch: dim,
      },
    },
  }
}
