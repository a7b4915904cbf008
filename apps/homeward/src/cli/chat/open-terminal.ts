import { ProcessTerminal, type Terminal } from '@earendil-works/pi-tui'

/** How long a window that is being resized has to keep its size before the chat is laid out again. */
const settleMs = 120

/** Erases what the terminal showed before: on a resize, that would be the person's earlier work. */
// oxlint-disable-next-line no-control-regex -- the sequence itself
const eraseScrollback = /\u001b\[3J/g

/**
 * The terminal of this process, with two differences: what was scrolled away stays, and a size counts once it has settled,
 * because every new width prints the chat again.
 */
export function openTerminal(): Terminal {
  const terminal = new ProcessTerminal()
  let columns = terminal.columns
  let rows = terminal.rows
  let timer: NodeJS.Timeout | undefined
  return new Proxy<Terminal>(terminal, {
    get(target, name) {
      if (name === 'columns') return columns
      if (name === 'rows') return rows
      if (name === 'write') return (text: string) => target.write(text.replaceAll(eraseScrollback, ''))
      if (name === 'start') {
        return (onInput: (input: string) => void, onResize: () => void) => {
          target.start(onInput, () => {
            clearTimeout(timer)
            timer = setTimeout(() => {
              if (columns === target.columns && rows === target.rows) return
              columns = target.columns
              rows = target.rows
              onResize()
            }, settleMs)
          })
        }
      }
      if (name === 'stop') {
        return () => {
          clearTimeout(timer)
          target.stop()
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
