/** Decides whether a text matches a glob. */
type GlobTest = (subject: string) => boolean

/** Characters of all alternatives together: they bound the steps of a match. */
const maxCharacters = { name: 65_536, path: 16_384 }

/**
 * Compiles a glob as shells know it: `*`, `?`, brackets, braces with lists and ranges, and `**` for any number of folders.
 * `?` and brackets stand for one character, also beyond the basic plane. A backslash takes the next character literally.
 *
 * No regular expression is built and nothing is tried twice: each character of a subject takes one step for 32 characters
 * of the glob.
 *
 * @throws {Error} when the braces stand for too many texts to be matched in bounded time.
 */
export function compileGlob(glob: string): GlobTest {
  const ofPath = glob.includes('/')
  const texts = new Set(expandBraces(glob, ofPath ? maxCharacters.path : maxCharacters.name))
  const alternatives = [...texts].map(ofPath ? compilePath : compileName)
  return (subject) => alternatives.some((matches) => matches(subject))
}

function compilePath(glob: string): GlobTest {
  const segments = glob.replace(/^\.?\/+/, '').split('/')
  const matches = compileSequence(
    segments.map((segment) => (segment === '**' ? anyNumber : compileName(segment))),
  )
  return (subject) => matches(subject.split('/'))
}

function compileName(glob: string): GlobTest {
  const tokens = toTokens(glob)
  const matches = compileSequence(tokens.map((token) => (typeof token === 'string' ? is(token) : token)))
  // Most names end otherwise, which is quick to see.
  const tailAt = tokens.findLastIndex((token) => typeof token !== 'string') + 1
  const tail = tokens.slice(tailAt).join('')
  return (subject) => subject.endsWith(tail) && matches(subject)
}

const is =
  (wanted: string) =>
  (character: string): boolean =>
    character === wanted

/** Stands for any number of items. */
const anyNumber = Symbol('any number of items')
type Test = (item: string) => boolean

/** Masks that one sequence keeps, in words of 32 bits. */
const maxCachedWords = 262_144

/**
 * Compiles tests for one item after the other. All ways to match are followed at once, as bits: bit `n` says that the first
 * `n` tests were met.
 */
function compileSequence(parts: readonly (Test | typeof anyNumber)[]): (items: Iterable<string>) => boolean {
  const tests = parts.filter((part) => part !== anyNumber)
  const words = (tests.length >>> 5) + 1
  const loops = new Uint32Array(words)
  let before = 0
  for (const part of parts) {
    if (part === anyNumber) setBit(loops, before)
    else before += 1
  }
  const masks = new Map<string, Uint32Array>()
  const maskOf = (item: string): Uint32Array => {
    const known = masks.get(item)
    if (known) return known
    if (masks.size * words > maxCachedWords) masks.clear()
    const mask = new Uint32Array(words)
    for (const [index, test] of tests.entries()) if (test(item)) setBit(mask, index)
    masks.set(item, mask)
    return mask
  }
  return (items) => {
    const states = new Uint32Array(words)
    states[0] = 1
    for (const item of items) if (!advance(states, maskOf(item), loops)) return false
    return ((states[tests.length >>> 5] ?? 0) & (1 << (tests.length & 31))) !== 0
  }
}

function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
}

/** Takes one item; false when no way is left. */
function advance(states: Uint32Array, mask: Uint32Array, loops: Uint32Array): boolean {
  let carry = 0
  let left = 0
  for (let word = 0; word < states.length; word += 1) {
    const state = states[word] ?? 0
    const met = state & (mask[word] ?? 0)
    const next = (met << 1) | carry | (state & (loops[word] ?? 0))
    carry = met >>> 31
    states[word] = next
    left |= next
  }
  return left !== 0
}

/** A character, or what stands for one or more. */
type Token = string | Test | typeof anyNumber

function toTokens(segment: string): readonly Token[] {
  const tokens: Token[] = []
  let mayHaveBrackets = true
  for (let at = 0; at < segment.length;) {
    const character = characterAt(segment, at)
    const bracket = character === '[' && mayHaveBrackets ? readBracket(segment, at) : undefined
    if (character === '[' && bracket === undefined) mayHaveBrackets = false
    const escaped = character === '\\' ? characterAt(segment, at + 1) : ''
    if (bracket) tokens.push(bracket.holds)
    else if (character === '*') tokens.push(anyNumber)
    else if (character === '?') tokens.push(() => true)
    else tokens.push(escaped || character)
    at = bracket?.end ?? at + character.length + escaped.length
  }
  return tokens
}

const characterAt = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : ''

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{Nd}]/u,
  alpha: /\p{L}/u,
  blank: /[\p{Zs}\t]/u,
  digit: /\d/,
  lower: /\p{L}/u,
  punct: /[\p{P}\p{S}]/u,
  space: /\s/,
  upper: /\p{L}/u,
  xdigit: /[\da-f]/i,
}

interface Bracket {
  readonly holds: Test
  readonly end: number
}

/** The bracket that begins at `start`; undefined where nothing closes it. Both `!` and `^` leave out. */
function readBracket(text: string, start: number): Bracket | undefined {
  const found = /^\[([!^]?)(\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*)\]/su.exec(text.slice(start))
  const [whole = '', negation = '', inside = ''] = found ?? []
  if (inside === '') return undefined
  const parts = inside.match(/\[:[a-z]+:\]|(?:\\.|.)-(?:\\.|.)|\\.|./gsu) ?? []
  const tests = parts.map(toBracketTest)
  return {
    end: start + whole.length,
    holds: (character) => tests.some((test) => test(character)) !== (negation !== ''),
  }
}

function toBracketTest(part: string): Test {
  const named = part.startsWith('[:') ? classes[part.slice(2, -2)] : undefined
  if (named) return (character) => named.test(character)
  const codes = Array.from(part.replaceAll(/\\(.)/gsu, '$1'), codeOf)
  const first = codes[0] ?? 0
  const last = codes.at(-1) ?? first
  return (character) => codeOf(character) >= first && codeOf(character) <= last
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0

/**
 * The texts that a glob with braces stands for, as bash makes them. A brace without a list or a range is literal.
 *
 * @throws {Error} when they have more than `maxLength` characters together.
 */
function expandBraces(glob: string, maxLength: number): readonly string[] {
  const tooMany = () =>
    new Error(
      `Matching the pattern failed: its braces stand for more than ${maxLength} characters. Use fewer or smaller braces.`,
    )
  const bounded = (texts: readonly string[]): readonly string[] => {
    let left = maxLength
    for (const text of texts) if ((left -= text.length + 1) < 0) throw tooMany()
    return texts
  }
  const product = (heads: readonly string[], tails: readonly string[]): readonly string[] => {
    if (heads.length * tails.length > maxLength) throw tooMany()
    return bounded(heads.flatMap((head) => tails.map((tail) => head + tail)))
  }
  const expand = (parts: readonly BracePart[]): readonly string[] =>
    parts.reduce<readonly string[]>(
      (texts, part) => {
        if (typeof part === 'string') return product(texts, [part])
        const [only, ...others] = part
        if (only !== undefined && others.length === 0) {
          const range = expandRange(only, maxLength)
          return product(texts, range ?? expand(only).map((text) => `{${text}}`))
        }
        return product(texts, bounded(part.flatMap(expand)))
      },
      [''],
    )
  return expand(parseBraces(glob))
}

/** A text, or the alternatives of a pair of braces. */
type BracePart = string | readonly (readonly BracePart[])[]

function parseBraces(glob: string): readonly BracePart[] {
  const closed = matchBraces(glob)
  let at = 0
  const parseUntil = (end: number, isInside: boolean): BracePart[][] => {
    const alternatives: BracePart[][] = [[]]
    const push = (part: BracePart) => alternatives.at(-1)?.push(part)
    while (at < end) {
      const character = glob.charAt(at)
      const closedAt = closed.get(at)
      if (closedAt !== undefined) {
        at += 1
        push(parseUntil(closedAt, true))
        at = closedAt + 1
      } else if (character === ',' && isInside) {
        alternatives.push([])
        at += 1
      } else {
        const length = character === '\\' ? 2 : 1
        push(glob.slice(at, Math.min(at + length, end)))
        at += length
      }
    }
    return alternatives
  }
  return parseUntil(glob.length, false)[0] ?? []
}

/** Where the opening braces that have a closing one are closed. */
function matchBraces(glob: string): ReadonlyMap<number, number> {
  const open: number[] = []
  const closed = new Map<number, number>()
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob.charAt(at)
    if (character === '\\') at += 1
    else if (character === '{') open.push(at)
    else if (character === '}') {
      const start = open.pop()
      if (start !== undefined) closed.set(start, at)
    }
  }
  return closed
}

/** Texts of a range such as `08..12`, `a..e` or `0..10..5`; undefined if it is not a range. */
function expandRange(parts: readonly BracePart[], maxLength: number): readonly string[] | undefined {
  if (!parts.every((part) => typeof part === 'string')) return undefined
  const found = /^(?:(-?\d+)\.\.(-?\d+)|([a-z])\.\.([a-z]))(?:\.\.(-?\d+))?$/iu.exec(parts.join(''))
  if (!found) return undefined
  const [, from = '', to = '', firstLetter, lastLetter, by = '1'] = found
  const first = firstLetter === undefined ? Number(from) : (firstLetter.codePointAt(0) ?? 0)
  const last = lastLetter === undefined ? Number(to) : (lastLetter.codePointAt(0) ?? 0)
  const step = Math.abs(Number(by)) || 1
  const count = Math.floor(Math.abs(last - first) / step) + 1
  if (count > maxLength) return Array.from({ length: maxLength + 1 }, () => '')
  const sign = last < first ? -1 : 1
  const isPadded = [from, to].some((text) => /^-?0\d/.test(text))
  const width = isPadded ? Math.max(from.length, to.length) : 0
  return Array.from({ length: count }, (_, index) => {
    const value = first + sign * step * index
    return firstLetter === undefined ? toPadded(value, width) : String.fromCodePoint(value)
  })
}

function toPadded(value: number, width: number): string {
  const sign = value < 0 ? '-' : ''
  return sign + String(Math.abs(value)).padStart(width - sign.length, '0')
}
