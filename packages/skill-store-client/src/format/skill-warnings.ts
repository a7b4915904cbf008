import type { SkillFile } from '../archive/unpack-zip.ts'
import { findHiddenMarkup, findInvisible, type HiddenText } from './hidden-text.ts'
import { looksLike, mixesScripts } from './look-alike.ts'

/**
 * What a person should look at before a skill is used.
 *
 * - `invisible_characters`, `hidden_markup`: the file says something to a model that is not shown to people.
 * - `look_alike_name`: its name is easily taken for another one's.
 * - `mixed_scripts`: its name mixes letters that look the same.
 */
export interface SkillWarning {
  readonly code: 'invisible_characters' | 'hidden_markup' | 'look_alike_name' | 'mixed_scripts'
  /** For people. */
  readonly message: string
  /** Path of the file that it is about. */
  readonly file?: string
}

/** Names of a skill, and the names of other skills to compare them with. */
export interface SkillNames {
  /** Its id or slug, its title. */
  readonly own: readonly string[]
  /** Those of other skills. */
  readonly others: readonly string[]
}

const readable = /\.(?:md|mdx|markdown|txt|ya?ml|json)$/i
const markdown = /\.(?:md|mdx|markdown)$/i
const maxWarnings = 20
/** What a loader reads of one file at the most. */
const maxBytes = 1024 * 1024

/**
 * Finds text that is hidden from readers of a skill. It finds tricks, not bad intentions: a person must judge visible
 * instructions.
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
