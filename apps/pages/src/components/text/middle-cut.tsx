import type { CSSProperties } from 'react'
import './middle-cut.css'

/** Props of {@link MiddleCut}. */
interface MiddleCutProps {
  readonly text: string
  /** Characters at the end that stay. @default 12 */
  readonly keep?: number
  /** Whether the end begins with a whole name: at the first slash of what stays. @default false */
  readonly isPath?: boolean
}

const letterOf = new Intl.Segmenter()

/** Letters of scripts that run from right to left: their text ends on the other side. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** A text on one line that loses its middle where room is short: the end of a name or a path tells most. */
export function MiddleCut({ text, keep = 12, isPath = false }: MiddleCutProps) {
  const letters = Array.from(letterOf.segment(text), ({ segment }) => segment)
  if (letters.length < 2 * keep || rightToLeft.test(text)) return <>{text}</>
  const kept = letters.slice(-keep)
  const slash = isPath ? kept.slice(0, -1).findIndex((each) => each === '/' || each === '\\') : -1
  const end = slash > 0 ? kept.slice(slash) : kept
  // Most letters are narrower than the zero that a browser measures by, and those of China and Japan twice as wide.
  const width = end.reduce((sum, each) => sum + (each > '\u2e7f' ? 2 : 0.9), 0)
  const style = { '--end': `${width}ch` }
  return (
    <span className="middle-cut" style={style as CSSProperties /* its type knows no custom properties */}>
      <span>{letters.slice(0, -end.length).join('')}</span>
      {end.join('')}
    </span>
  )
}
