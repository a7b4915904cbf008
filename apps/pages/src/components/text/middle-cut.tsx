import type { CSSProperties } from 'react'
import './middle-cut.css'

/** Props of {@link MiddleCut}. */
interface MiddleCutProps {
  readonly text: string
  /** Characters at the end that stay. @default 12 */
  readonly keep?: number
}

const letterOf = new Intl.Segmenter()

/** Letters of scripts that run from right to left: their text ends on the other side. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** A text on one line that loses its middle where room is short: the end of a name or a path tells most. */
export function MiddleCut({ text, keep = 12 }: MiddleCutProps) {
  const letters = Array.from(letterOf.segment(text), ({ segment }) => segment)
  if (letters.length < 2 * keep || rightToLeft.test(text)) return <>{text}</>
  const end = letters.slice(-keep)
  // Most letters are narrower than the zero that a browser measures by, and those of China and Japan twice as wide.
  const width = end.reduce((sum, each) => sum + (each > '\u2e7f' ? 2 : 0.9), 0)
  const style = { '--end': `${width}ch` }
  return (
    <span className="middle-cut" style={style as CSSProperties /* its type knows no custom properties */}>
      <span>{letters.slice(0, -keep).join('')}</span>
      {end.join('')}
    </span>
  )
}
