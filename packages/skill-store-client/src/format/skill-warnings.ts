import type { SkillFile } from '../archive/unpack-zip.ts'
import { blankCode } from './blank-code.ts'

/**
 * A warning about a skill, for a person to check before use.
 *
 * - `invisible_characters`, `hidden_markup`: a file contains text for a model that people do not see.
 * - `look_alike_name`: the name is easily confused with another one.
 * - `mixed_scripts`: the name mixes letters that look the same.
 */
export interface SkillWarning {
  readonly code: 'invisible_characters' | 'hidden_markup' | 'look_alike_name' | 'mixed_scripts'
  /** Text for people. */
  readonly message: string
  /** Path of the affected file. */
  readonly file?: string
}

/** Names of a skill, and the names of other skills to compare them with. */
export interface SkillNames {
  /** Id or slug of the skill, and its title. */
  readonly own: readonly string[]
  /** Names of other skills. */
  readonly others: readonly string[]
}

const readable = /\.(?:md|mdx|markdown|txt|ya?ml|json)$/i
const markdown = /\.(?:md|mdx|markdown)$/i
const maxWarnings = 20
/** What a loader reads of one file at the most. */
const maxBytes = 1024 * 1024

/**
 * Finds text in a skill that is hidden from readers. It does not detect bad intentions in visible instructions, so a
 * person must read these.
 */
export function skillWarnings(files: readonly SkillFile[], names: SkillNames): SkillWarning[] {
  const hidden = files.filter(({ path }) => readable.test(path)).flatMap(warningsOfFile)
  return [...warningsOfNames(names), ...hidden].slice(0, maxWarnings)
}

function warningsOfFile({ path, bytes }: SkillFile): SkillWarning[] {
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes))
  const markup = markdown.test(path) ? findHiddenMarkup(text) : undefined
  return [
    ...toWarning(path, findInvisible(text), 'invisible characters'),
    ...toWarning(path, markup, 'parts that are not displayed, such as comments'),
  ]
}

function toWarning(file: string, found: HiddenText | undefined, what: string): SkillWarning[] {
  if (found === undefined) return []
  const { kind, count, line } = found
  const message = `${file} contains ${what} (${count}, the first in line ${line}). A model reads them: check the file itself.`
  return [{ code: kind, message, file }]
}

function warningsOfNames({ own, others }: SkillNames): SkillWarning[] {
  const mixed = own.filter(mixesScripts).map((name): SkillWarning => ({
    code: 'mixed_scripts',
    message: `Its name ${JSON.stringify(name)} mixes letters of several scripts that look the same.`,
  }))
  const alike = others.filter((other) => !own.includes(other) && own.some((name) => looksLike(name, other)))
  return [
    ...mixed,
    ...[...new Set(alike)].map((other): SkillWarning => ({
      code: 'look_alike_name',
      message: `Its name looks like ${JSON.stringify(other)}. Check that it is the skill you mean.`,
    })),
  ]
}

/** Something in a text that a person who reads it does not see, and a model does. */
interface HiddenText {
  readonly kind: 'invisible_characters' | 'hidden_markup'
  readonly count: number
  /** Line of the first one, from 1. */
  readonly line: number
}

// Characters without a shape of their own, and those that show text in another order than it is read. Not among them is
// what ordinary text in some script needs: joiners, direction marks, soft hyphens, variants of emoji.
const invisible =
  /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u202a-\u202e\u2060-\u206f\u3164\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|(?<!^)\ufeff/gu
/** A flag of a part of a country is spelled with such characters: a few of them. */
const flag = /\u{1f3f4}[\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu
const hiddenElement =
  /<[a-z][^<>]{0,500}?(?:\shidden\b|display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0)/gi
/** `[//]: # (text)`: a definition that nothing refers to is shown nowhere. */
const comment = /^ {0,3}\[[^\]\n]{1,100}\]:[ \t]{0,10}(?:#|<>)[ \t]{1,10}["'(]/gm

/** Characters that nobody sees. */
export function findInvisible(text: string): HiddenText | undefined {
  const places = [...text.replace(flag, '').matchAll(invisible)].map(({ index }) => index)
  return toHidden('invisible_characters', text.replace(flag, ''), places)
}

/** Comments and elements that are not shown once Markdown is. What certainly is code is shown. */
export function findHiddenMarkup(markdown: string): HiddenText | undefined {
  const text = blankCode(markdown)
  const matches = [...text.matchAll(hiddenElement), ...text.matchAll(comment)].map(({ index }) => index)
  return toHidden('hidden_markup', text, [...commentsIn(text), ...matches])
}

function commentsIn(text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf('<!--'); at !== -1; at = text.indexOf('<!--', at + 4)) places.push(at)
  return places
}

function toHidden(kind: HiddenText['kind'], text: string, places: readonly number[]): HiddenText | undefined {
  if (places.length === 0) return undefined
  const first = places.reduce((least, place) => Math.min(least, place))
  return { kind, count: places.length, line: text.slice(0, first).split('\n').length }
}

/** Letters of other scripts, and figures, that pass for Latin letters. */
const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a', в: 'b', е: 'e', ѕ: 's', і: 'i', ј: 'j', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x',
  ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'i', α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't',
  υ: 'u', χ: 'x', ı: 'i', 'ɡ': 'g', '0': 'o', '1': 'i', '3': 'e', '5': 's', l: 'i', '|': 'i',
} // prettier-ignore
/** Shorter names differ by a letter for good reasons. */
const shortestForMistake = 5

/** Whether two different names are easily taken for each other: they look the same, or differ by one slip. */
export function looksLike(name: string, other: string): boolean {
  const [a, b] = [fold(name), fold(other)]
  // the same name under another spelling is a replacement, and said elsewhere; `agent-1` and `agent-2` are a family
  if (a === b || a.replace(/\d+/g, '#') === b.replace(/\d+/g, '#')) return false
  const [shownA, shownB] = [toShape(a), toShape(b)]
  if (shownA === shownB) return true
  return Math.min(a.length, b.length) >= shortestForMistake && isOneSlip(a, b)
}

/** Whether a word mixes Latin letters with ones that pass for them. */
export function mixesScripts(name: string): boolean {
  return name
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))
}

const fold = (name: string) => name.normalize('NFKC').toLowerCase()

function toShape(name: string): string {
  const letters = Array.from(
    name.normalize('NFKD').replace(/[\p{M}\s._-]/gu, ''),
    (letter) => lookAlikes[letter] ?? letter,
  )
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w')
}

/** One letter more, less or other, or two neighbours in each other's place. */
function isOneSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  let same = 0
  while (same < short.length && short[same] === long[same]) same += 1
  const rest = (text: string, skipped: number) => text.slice(same + skipped)
  if (long.length === short.length + 1) return rest(short, 0) === rest(long, 1)
  if (long.length !== short.length) return false
  const isSwapped = short[same] === long[same + 1] && short[same + 1] === long[same]
  return rest(short, 1) === rest(long, 1) || (isSwapped && rest(short, 2) === rest(long, 2))
}
