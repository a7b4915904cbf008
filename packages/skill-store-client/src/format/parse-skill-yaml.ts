import { isLongInteger, restoreBounds } from '@homeward/kit'
import { type Document, isMap, isScalar, isSeq, parseDocument, visit, Lexer } from 'yaml'
import { SkillStoreError } from '../skill-store-error.ts'
import { quotePlainValues } from './quote-plain-values.ts'

const maxCharacters = 256 * 1024
/** Aliases may multiply what they stand for; a skill needs a handful at most. */
const maxAliasCount = 50
/** Far above what a skill needs. The time of the parser grows with the square of the depth. */
const maxDepth = 100

/**
 * Parses the YAML (1.2) of a skill.
 *
 * Rejects large or deep documents, alias bombs, recursive aliases, duplicate keys and unknown tags. Two common
 * mistakes are corrected: an unquoted top-level value that is invalid YAML (`description: Two axes: a and b`) becomes
 * a string, and so does a number that would lose digits (`version: 1.10`).
 *
 * @param file name for errors, such as `tools.yaml`.
 * @param line first line of the text in the file, for errors. @default 1
 * @throws {SkillStoreError} `INVALID_CONTENT`, with the line.
 */
export function parseSkillYaml(text: string, file: string, line = 1): unknown {
  if (text.length > maxCharacters) throw invalid(file, `it has more than ${maxCharacters} characters`)
  const placed = '\n'.repeat(line - 1) + text
  try {
    return read(placed, file)
  } catch (error) {
    const quoted = quotePlainValues(placed)
    if (quoted === undefined) throw error
    try {
      return read(quoted, file)
    } catch {
      throw error
    }
  }
}

function read(text: string, file: string): unknown {
  try {
    if (isYamlDeeperThan(text, maxDepth)) throw invalid(file, `it is nested deeper than ${maxDepth} levels`)
    const document = parse(text, false)
    if (problemIn(document))
      throw invalid(file, firstLine(problemIn(parse(text, true))?.message ?? 'it is not valid YAML'))
    const repeated = findRepeatedKey(document.contents)
    if (repeated !== undefined) throw invalid(file, `Map keys must be unique at ${placeOf(repeated, text)}`)
    if (text.includes('*') && hasCircle(document))
      throw invalid(file, 'an alias refers to a node that contains it')
    keepWriting(document.contents)
    if (/\d{16}/.test(text)) keepDigits(document)
    const value: unknown = document.toJS({ maxAliasCount })
    restoreBounds(value)
    return value
  } catch (error) {
    if (SkillStoreError.is(error)) throw error
    throw invalid(file, error instanceof Error ? firstLine(error.message) : 'it cannot be read')
  }
}

/** Makes text of numbers at the top and in `metadata` whose writing says more than the number: `1.10`, `007`. */
function keepWriting(node: unknown): void {
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    if (isScalar(key) && key.value === 'metadata' && value !== node) keepWriting(value)
    if (!isScalar(value) || typeof value.value !== 'number') continue
    if (value.source !== undefined && String(value.value) !== value.source) value.value = value.source
  }
}

/** Makes text of integers that a JavaScript number would round. */
function keepDigits(document: Document.Parsed): void {
  visit(document, {
    Scalar(_, scalar) {
      const { source = '', value } = scalar
      if (typeof value === 'number' && isLongInteger(source)) scalar.value = source
    },
  })
}

/** @param withPlace Counts lines for the message, which makes parsing slower. */
const parse = (text: string, withPlace: boolean) =>
  // not its own check of keys, which compares each of them with all before it
  parseDocument(text, { prettyErrors: withPlace, uniqueKeys: false, logLevel: 'silent' })

/** Where a key stands that its mapping has already. Looks at each node once, in an eighth of the time that `visit` takes. */
function findRepeatedKey(node: unknown): number | undefined {
  if (isSeq(node)) return firstFound(node.items, findRepeatedKey)
  if (!isMap(node)) return undefined
  const keys = new Set<unknown>()
  return firstFound(node.items, ({ key, value }) => {
    if (!isScalar(key)) return findRepeatedKey(key) ?? findRepeatedKey(value)
    if (keys.has(key.value)) return key.range?.[0] ?? 0
    keys.add(key.value)
    return findRepeatedKey(value)
  })
}

/** The first of the items for which something is found: what was found. */
function firstFound<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** What holds itself is no tree, and cannot be written as JSON. */
function hasCircle(document: Document.Parsed): boolean {
  let found = false
  visit(document, {
    Alias(_, alias, ancestors) {
      const target = alias.resolve(document)
      found = target !== undefined && ancestors.includes(target)
      return found ? visit.BREAK : undefined
    },
  })
  return found
}

function placeOf(offset: number, text: string): string {
  const before = text.slice(0, offset)
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`
}

const problemIn = ({ errors, warnings }: ReturnType<typeof parse>) => errors[0] ?? warnings[0]

const firstLine = (text: string) => text.split('\n', 1)[0]!.replace(/:$/, '')

function invalid(file: string, reason: string): SkillStoreError {
  return new SkillStoreError('INVALID_CONTENT', `Reading ${file} failed: ${reason}.`)
}

/** What the lexer puts before the text of a scalar. */
const scalarMark = '\u001F'

/**
 * Whether YAML nests deeper than `max` in one of the ways that cost it few characters: brackets, or indicators of blocks in
 * a row (`- - - x`). What nests by indentation pays for each level with a longer line.
 */
function isYamlDeeperThan(text: string, max: number): boolean {
  if (!canBeDeeperThan(text, max)) return false
  let brackets = 0
  let inRow = 0
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (isScalar) inRow = 0
    else if (token === '[' || token === '{') brackets += 1
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1)
    else if (token === '-' || token === '?' || token === ':') inRow += 1
    else if (token.includes('\n')) inRow = 0
    if (brackets > max || inRow > max) return true
    isScalar = !isScalar && token === scalarMark
  }
  return false
}

/**
 * Whether it has signs enough, all in all or in a line. Most texts have not, and reading their tokens would take a quarter of
 * the time that all of it takes.
 */
function canBeDeeperThan(text: string, max: number): boolean {
  const brackets = text.match(/[[{]/g)?.length ?? 0
  return brackets > max || new RegExp(`^(?:[^\\n\\-?:]*[-?:]){${max + 1}}`, 'm').test(text)
}
