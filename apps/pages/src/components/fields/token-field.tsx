import { X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Button, Tag, TagGroup, TagList } from 'react-aria-components'
import type { FieldTexts } from './field-parts.tsx'
import { isComposing } from './is-composing.ts'
import { SuggestField } from './suggest-field.tsx'
import './token-field.css'

/** What a {@link TokenField} takes. */
interface TokenFieldProps extends FieldTexts {
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
  /** Texts that fit; any other is taken too. */
  readonly suggestions?: readonly string[]
  readonly placeholder?: string
}

/** Several short texts, each once, in their order. Enter and a comma add the one that is being written. */
export function TokenField({ values, onChange, suggestions = [], label, ...rest }: TokenFieldProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLDivElement>(null)

  function add(given: string): void {
    const added = given.split(',').flatMap((part) => part.trim() || [])
    if (added.length > 0) onChange([...new Set([...values, ...added])])
    setText('')
  }

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    // With an input method, Enter takes a word of it.
    if (isComposing(event.nativeEvent)) return
    // With a suggestion in focus Enter chooses that one.
    const isChoosing = event.currentTarget.getAttribute('aria-activedescendant') !== null
    if (event.key === ',' || (event.key === 'Enter' && !isChoosing)) {
      if (text.trim() === '') return
      event.preventDefault()
      add(text)
    } else if (event.key === 'Backspace' && text === '') onChange(values.slice(0, -1))
  }

  function remove(gone: ReadonlySet<unknown>): void {
    const rest = values.filter((value) => !gone.has(value))
    onChange(rest)
    // With the last one their list goes, and what had the focus in it.
    if (rest.length === 0) field.current?.querySelector('input')?.focus()
  }

  return (
    <div ref={field} className="token-field">
      <SuggestField
        {...rest}
        label={label}
        suggestions={suggestions.filter((each) => !values.includes(each))}
        value={text}
        onChange={setText}
        onChoose={add}
        onKeyDown={handleKey}
        onBlur={() => add(text)}
      />
      {values.length > 0 && (
        <TagGroup aria-label={label} onRemove={remove}>
          <TagList className="token-list">
            {values.map((value) => (
              <Tag key={value} id={value} textValue={value} className="token">
                <span className="foreign">{value}</span>
                <Button slot="remove" className="token-remove">
                  <X aria-hidden />
                </Button>
              </Tag>
            ))}
          </TagList>
        </TagGroup>
      )}
    </div>
  )
}
