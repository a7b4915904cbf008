import {
  CombinedAutocompleteProvider,
  Container,
  Editor,
  type EditorTheme,
  matchesKey,
  setCapabilityOverrides,
  Spacer,
  type Terminal,
  Text,
  TuiMainScreen,
} from '@earendil-works/pi-tui'
import { cleanText } from '../../terminal/clean-text.ts'
import type { ChatScreen } from './chat-screen.ts'
import { chatCommands } from './parse-input.ts'
import { toStatusLines } from './status-line.ts'
import { createChatTheme } from './themes.ts'
import { createTurnView, type TurnView } from './turn-view.ts'

/** What a person does at the terminal. */
interface TerminalActions {
  input(typed: string): void
  /** @returns false if the key is text like any other now */
  decide(key: 'y' | 'n' | 'd'): boolean
  /** @returns false if nothing runs that could be stopped */
  interrupt(): boolean
  quit(): void
}

/** A chat on a terminal with a cursor. */
interface TerminalScreen extends ChatScreen {
  /** Begins to read keys. */
  start(actions: TerminalActions): void
  /** Gives the terminal back as it was. */
  stop(): Promise<void>
}

/** How the chat looks, and what the arrow keys bring back. */
interface TerminalScreenOptions {
  readonly terminal: Terminal
  readonly hasColor: boolean
  /** Of the server. */
  readonly url: string
  /** Earlier inputs, oldest first. */
  readonly history: readonly string[]
}

export function createTerminalScreen(options: TerminalScreenOptions): TerminalScreen {
  // links and pictures are escape sequences that a model would choose
  setCapabilityOverrides({ hyperlinks: false, images: null })
  const { terminal, url } = options
  const theme = createChatTheme(options.hasColor)
  const tui = new TuiMainScreen(terminal)
  const transcript = new Container()
  const question = new Text('', 0, 0)
  const status = new Text('', 0, 0)
  const { editor, onKey } = createEditor(tui, theme.editor, options.history)
  for (const each of [transcript, question, editor, status]) tui.addChild(each)
  tui.setFocus(editor)
  let live: TurnView | undefined
  let hasStopped = false

  function add(text: string): void {
    transcript.addChild(new Text(text, 0, 0))
    transcript.addChild(new Spacer(1))
    tui.requestRender()
  }

  const lines = (text: string, style: (line: string) => string) =>
    cleanText(text).split('\n').map(style).join('\n')

  function turnView(): TurnView {
    if (live) return live
    live = createTurnView(theme, url)
    transcript.addChild(live)
    return live
  }

  return {
    showMessage(text, files) {
      const attached = files.map((name) => theme.dim(`\n▪ ${cleanText(name)}`)).join('')
      add(lines(`> ${text}`, theme.person) + attached)
    },
    showTurn(turn) {
      turnView().setTurn(turn)
      tui.requestRender()
    },
    endTurn(turn) {
      turnView().setTurn(turn)
      live = undefined
      tui.requestRender()
    },
    showNote: (text) => add(lines(text, theme.dim)),
    showError: (text) => add(lines(text, theme.error)),
    showStatus(next) {
      if (hasStopped) return
      const shown = toStatusLines(next)
      question.setText(shown.question === undefined ? '' : lines(shown.question, theme.question))
      status.setText(theme.dim(shown.status))
      tui.requestRender()
    },
    restoreInput(text) {
      if (editor.getText() === '') editor.setText(text)
      tui.requestRender()
    },
    start(actions) {
      editor.onSubmit = (typed) => {
        if (typed.trim() !== '') editor.addToHistory(typed)
        actions.input(typed)
      }
      tui.addInputListener((key) => {
        onKey(key)
        return { consume: takeKey(key, editor, actions) }
      })
      tui.start()
    },
    async stop() {
      hasStopped = true
      question.setText('')
      status.setText('')
      editor.setText('')
      tui.removeChild(editor)
      tui.renderNow()
      await terminal.drainInput(200)
      tui.stop()
    },
  }
}

/** An input with several lines. */
interface ChatEditor {
  readonly editor: Editor
  /** Called with each key before the editor reads it. */
  onKey(key: string): void
}

/** Tab completes commands and paths. Nothing opens without it: Enter would choose an entry that was not meant. */
function createEditor(tui: TuiMainScreen, theme: EditorTheme, history: readonly string[]): ChatEditor {
  const editor = new Editor(tui, theme)
  let isCompleting = false
  const commands = chatCommands.map(({ name, summary }) => ({ name, description: summary }))
  const provider = new CombinedAutocompleteProvider(commands, process.cwd())
  editor.setAutocompleteProvider({
    getSuggestions: async (...given) => (isCompleting ? await provider.getSuggestions(...given) : null),
    applyCompletion: (...given) => provider.applyCompletion(...given),
    shouldTriggerFileCompletion: (...given) => provider.shouldTriggerFileCompletion(...given),
  })
  for (const entry of history) editor.addToHistory(entry)
  return { editor, onKey: (key) => (isCompleting = matchesKey(key, 'tab')) }
}

/** Keys that mean something else than text. @returns whether the key was taken */
function takeKey(key: string, editor: Editor, actions: TerminalActions): boolean {
  if (matchesKey(key, 'ctrl+c')) {
    if (actions.interrupt()) return true
    if (editor.getText() === '') actions.quit()
    else editor.setText('')
    return true
  }
  if (editor.getText() !== '') return false
  if (matchesKey(key, 'ctrl+d')) {
    actions.quit()
    return true
  }
  for (const decision of ['y', 'n', 'd'] as const) {
    if (matchesKey(key, decision)) return actions.decide(decision)
  }
  return false
}
