import { renameExtended } from './part-names.ts'

const maxHeadBytes = 16 * 1024
const [cr, dash] = [0x0d, 0x2d]
const emptyLine = new TextEncoder().encode('\r\n\r\n')

/** Where a body is read: up to a delimiter, in the rest of its line, in the headers of a part, or after the last one. */
type Step = 'content' | 'delimiter' | 'head' | 'epilogue'

/**
 * Passes on a multipart body as its parser needs it, up to its closing delimiter. Delimiters come whole and without padding;
 * the headers of a part come whole and in UTF-8. Gives for each chunk the pieces to write.
 *
 * @param toError makes the error for a delimiter with other characters after it, parts after the closing one, and headers
 * without an end.
 */
export async function* cleanForm(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
  toError: (problem: string) => Error,
): AsyncGenerator<readonly Uint8Array[], void> {
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  const closing = new TextEncoder().encode(`\r\n--${boundary}--`)
  let step: Step = 'content'
  // The first delimiter needs no line before it. The parser drops what comes before.
  let held = Uint8Array.of(cr, 0x0a)
  for await (const chunk of chunks) {
    const pieces: Uint8Array[] = []
    held = join(held, chunk)
    for (;;) {
      if (step === 'delimiter') {
        const line = readDelimiter(held, delimiter.length, toError)
        if (!line) break
        pieces.push(line.isLast ? closing : delimiter)
        held = held.slice(line.end)
        step = line.isLast ? 'epilogue' : 'head'
      }
      const mark: Uint8Array = step === 'head' ? emptyLine : delimiter
      const at = indexOf(held, mark)
      if (step === 'head') {
        if ((at < 0 ? held.length : at) > maxHeadBytes) throw toError('the headers of a part are too long')
        if (at < 0) break
        pieces.push(toHead(held.subarray(0, at + mark.length)))
        held = held.slice(at + mark.length)
        step = 'content'
        continue
      }
      if (step === 'epilogue' && at >= 0) throw toError('it has parts after its last boundary')
      // What may be the begin of a delimiter stays.
      const end = at >= 0 ? at : Math.max(0, held.length - mark.length + 1)
      if (step === 'content' && end > 0) pieces.push(held.slice(0, end))
      held = held.slice(end)
      if (at < 0) break
      step = 'delimiter'
    }
    yield pieces
  }
  const isEnd = step === 'delimiter' && held[delimiter.length] === dash && held[delimiter.length + 1] === dash
  if (isEnd) yield [closing]
  else if (step === 'content') yield [held]
}

/** The rest of a delimiter's line: nothing, or two dashes, and maybe spaces. Undefined while its end has not arrived. */
function readDelimiter(
  held: Uint8Array,
  length: number,
  toError: (problem: string) => Error,
): { readonly isLast: boolean; readonly end: number } | undefined {
  const rest = new TextDecoder('latin1').decode(held.subarray(length, length + maxHeadBytes))
  const line = /^(--)?[ \t]*(?=\r\n)/.exec(rest)
  if (line) return { isLast: line[1] !== undefined, end: length + line[0].length }
  if (rest.length < maxHeadBytes && /^-?(?:-[ \t]*)?\r?$|^[ \t]*\r?$/.test(rest)) return undefined
  throw toError('a boundary is followed by other characters. End lines with CR and LF')
}

/** Old clients write names in Latin-1: these become readable. */
function toHead(bytes: Uint8Array): Uint8Array {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes)
  }
  const lines = text.split('\r\n')
  const clean = lines.map((line) => (/^content-disposition[ \t]*:/i.test(line) ? renameExtended(line) : line))
  return new TextEncoder().encode(clean.join('\r\n'))
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const last = bytes.length - wanted.length
  for (let at = bytes.indexOf(cr); at >= 0 && at <= last; at = bytes.indexOf(cr, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}
