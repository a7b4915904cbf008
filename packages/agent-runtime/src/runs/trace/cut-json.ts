import type { Json } from '@homeward/contract/agent-platform'
import { cut, isSmallJson } from '../../json/to-json.ts'

/** A value of at most so many characters as JSON: a longer one becomes the beginning of its text, with a mark. */
export function cutJson(value: Json, maxChars: number): { readonly value: Json; readonly isCut: boolean } {
  if (isSmallJson(value, maxChars)) return { value, isCut: false }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { value: `${cut(text, maxChars)}… [cut: ${text.length} characters in all]`, isCut: true }
}
