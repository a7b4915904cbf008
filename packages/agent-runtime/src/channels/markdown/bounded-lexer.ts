import { Lexer, Tokenizer, type Token, type Tokens } from 'marked'

/** How much work an answer may still cost, about a character looked at for each unit. */
interface LexBudget {
  left: number
}

/** What an answer may cost: twice what 120 KB of prose take. */
export function createLexBudget(): LexBudget {
  return { left: 4_000_000 }
}

/**
 * Markdown as tokens of `marked`, in bounded time. By itself the library takes cubic time for marks in one another and
 * for those that do not close: a paragraph that is about to cost too much stays as it was written, the others keep
 * their format.
 *
 * @throws {TooCostly} when quotes and lists are in one another deeper than anybody reads.
 */
export function lexMarkdown(markdown: string, budget: LexBudget): readonly Token[] {
  return new BoundedLexer(budget).lex(markdown)
}

/** Quotes and entries of lists in one another. */
const maxDepth = 12
/** Units that a paragraph may cost for each of its characters; a hundred are much for one that a person would read. */
const unitsPerCharacter = 150
/** For short paragraphs, where marks are close to one another. */
const leastUnits = 20_000
/** Of one round of the library, wherever it looks. */
const unitsPerRound = 50
/** What marks around a text cost for each of its characters: it is looked at from end to end, again and again. */
const unitsPerNested = 12
/** The share of the rest that a bracket or a backtick costs which does not close: few are looked for up to the end. */
const shareOfRest = 1 / 3
/** The same of an underscore in a word, as in `snake_case`. */
const shareInWord = 1 / 8

class TooCostly extends Error {
  override readonly name = 'TooCostly'
}

class BoundedLexer extends Lexer {
  readonly #budget: LexBudget
  /** What the paragraph at hand may still cost; undefined between paragraphs. */
  #left: number | undefined

  constructor(budget: LexBudget) {
    const tokenizer = new MeteredTokenizer((units) => this.#spend(units))
    super({ gfm: true, tokenizer })
    this.#budget = budget
    const { rules } = tokenizer // the lexer has set them
    tokenizer.rules = { ...rules, inline: { ...rules.inline, ...cjkEmphasisRules } }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#left !== undefined) {
      this.#spend(unitsPerNested * source.length)
      return super.inlineTokens(source, tokens)
    }
    this.#left = Math.min(this.#budget.left, leastUnits + unitsPerCharacter * source.length)
    try {
      this.#spend(source.length)
      return super.inlineTokens(source, tokens)
    } catch (error) {
      if (!(error instanceof TooCostly)) throw error
      // the list is the paragraph's own: what stands in it already goes
      tokens.splice(0, tokens.length, { type: 'text', raw: source, text: source, escaped: false })
      Object.assign(this.state, { inLink: false, inRawBlock: false }) // it was given up in the middle
      return tokens
    } finally {
      this.#left = undefined
    }
  }

  #spend(units: number): void {
    this.#budget.left -= units
    if (this.#left === undefined) return
    this.#left -= units
    if (this.#left < 0) throw new TooCostly()
  }
}

/** Tells what each round of the library costs. */
class MeteredTokenizer extends Tokenizer {
  readonly #spend: (units: number) => void
  #depth = 0

  constructor(spend: (units: number) => void) {
    super()
    this.#spend = spend
  }

  /** The first that is tried on a block. */
  override space(source: string): Tokens.Space | undefined {
    this.#spend(unitsPerRound)
    return super.space(source)
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.#inside(() => super.blockquote(source))
  }

  override list(source: string): Tokens.List | undefined {
    return this.#inside(() => super.list(source))
  }

  /** The first that is tried on what stands in a line. */
  override escape(source: string): Tokens.Escape | undefined {
    this.#spend(unitsPerRound)
    return super.escape(source)
  }

  /** A mark that does not close was looked for up to the end. */
  override emStrong(source: string, masked: string, previous = ''): Tokens.Em | Tokens.Strong | undefined {
    const token = super.emStrong(source, masked, previous)
    const isInWord = source.startsWith('_') && /\w/.test(previous)
    if (!token && /^[*_]/.test(source)) this.#spend(source.length * (isInWord ? shareInWord : 1))
    return token
  }

  /** The last that is tried: no mark that comes here closes. */
  override inlineText(source: string): Tokens.Text | undefined {
    if (/^[~`[!<]/.test(source)) this.#spend(source.length * shareOfRest)
    return super.inlineText(source)
  }

  /** Cells that a row does not have would be made: a table of which most are missing is text. */
  override table(source: string): Tokens.Table | undefined {
    const header = lineAt(source, 0)
    if (!/^[ \t|:-]+$/.test(lineAt(source, header.length + 1))) return undefined
    const end = source.search(/\n[ \t]*\n/)
    const table = end < 0 ? source : source.slice(0, end)
    const cells = header.split('|').length * table.split('\n').length
    return cells > table.length ? undefined : super.table(source)
  }

  #inside<Result>(look: () => Result): Result {
    if (this.#depth > maxDepth) throw new TooCostly()
    this.#depth += 1
    const result = look()
    this.#depth -= 1
    return result
  }
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.slice(start) : text.slice(start, end)
}

/** A character of a Chinese, Japanese or Korean text, punctuation included. */
const cjk = String.raw`(?:(?!\s)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\uFF01-\uFF65])`
/** Punctuation of any other text. `~` counts as a letter, as in the rules of `marked` for GFM. */
const mark = String.raw`(?:(?!~|${cjk})[\p{P}\p{S}])`
const letter = String.raw`(?:[^\s\p{P}\p{S}]|~|${cjk})`

/**
 * Finds where emphasis may end. The groups are those that `marked` reads: 1 and 2 only close, 3 and 4 only open, 5 and 6 do
 * both.
 */
function rightDelimiters(skipped: string, sign: string, run: string): RegExp {
  const behindCjk = String.raw`(?<=${cjk}${sign}+)`
  return new RegExp(
    [
      skipped,
      String.raw`(?!${sign})${mark}(${run})(?=\s|$)`,
      String.raw`${letter}(${run})(?!${sign})(?=\s|$|(?!${behindCjk})${mark})`,
      String.raw`(?!${sign})(?:\s|${mark}(?!${sign}+${cjk}))(${run})(?=${letter})`,
      String.raw`\s(${run})(?!${sign})(?=${mark})`,
      String.raw`(?!${sign})${mark}(${run})(?!${sign})(?=${mark}|${cjk})`,
      String.raw`${letter}(${run})(?!${sign})(?=${letter}|${behindCjk}${mark})`,
    ].join('|'),
    'gu',
  )
}

/**
 * Rules of `marked` for `*` and `~`, changed so that emphasis counts next to Chinese, Japanese and Korean characters: such
 * texts have no spaces around marks. They follow the proposal "CJK-friendly emphasis" for CommonMark
 * (github.com/tats-u/markdown-cjk-friendly, specification.md).
 */
const cjkEmphasisRules = {
  punctuation: new RegExp(String.raw`^(?:(?![*_])(?:\s|${mark}|${cjk}))`, 'u'),
  emStrongLDelim: new RegExp(
    String.raw`^(?:\*+(?:((?!\*)${mark})|([^\s*]))?)|^_+(?:((?!_)${mark})|([^\s_]))?`,
    'u',
  ),
  emStrongRDelimAst: rightDelimiters(
    String.raw`^[^_*]*?__[^_*]*?\*[^_*]*?(?=__)|[^*]+(?=[^*])`,
    String.raw`\*`,
    String.raw`\*+`,
  ),
  delLDelim: new RegExp(String.raw`^~~?(?:((?!~)${mark})|[^\s~])`, 'u'),
  delRDelim: rightDelimiters('^[^~]+(?=[^~])', '~', '~~?'),
}
