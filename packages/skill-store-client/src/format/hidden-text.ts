import { blankCode } from './blank-code.ts'

/** Something in a text that a person who reads it does not see, and a model does. */
export interface HiddenText {
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
