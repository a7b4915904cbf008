import { markWords } from './matched-words.ts'

/** What {@link MatchedText} takes. */
export interface MatchedTextProps {
  readonly text: string
  readonly query: string
}

/** A text with the words that were searched for. */
export function MatchedText({ text, query }: MatchedTextProps) {
  const pieces = markWords(text, query)
  const isCut = pieces.reduce((length, piece) => length + piece.text.length, 0) < text.length
  return (
    <p className="foreign memory-text" dir="auto">
      {/* Pieces of one text never change places. */}
      {pieces.map((piece, index) => (piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text))}
      {isCut && '…'}
    </p>
  )
}
