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
export const cjkEmphasisRules = {
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
