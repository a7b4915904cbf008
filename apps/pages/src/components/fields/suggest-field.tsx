import { ChevronDown } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Button, ComboBox, Group, Input, ListBox, ListBoxItem } from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'
import { OptionPopover } from './option-popover.tsx'
import './suggest-field.css'

/** What a {@link SuggestField} takes. */
interface SuggestFieldProps extends FieldTexts {
  /** Texts that fit; any other text is taken too. */
  readonly suggestions: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
  /** A suggestion was chosen, by a click or by Enter. */
  readonly onChoose?: (value: string) => void
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
  readonly onBlur?: () => void
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
}

/** One line of text, with suggestions while it is written. */
export function SuggestField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  suggestions,
  value,
  onChange,
  onChoose,
  onKeyDown,
  onBlur,
  placeholder,
  ...rest
}: SuggestFieldProps) {
  return (
    <ComboBox
      {...rest}
      {...(errorMessage && { isInvalid: true })}
      className="field"
      allowsCustomValue
      inputValue={value}
      onInputChange={onChange}
      // A text that is one of the suggestions has been chosen: the list closes.
      value={suggestions.includes(value) ? value : null}
      // Else the list would open again by itself when the text is taken away.
      menuTrigger={value === '' ? 'manual' : 'input'}
      onChange={(key) => {
        if (key !== null) (onChoose ?? onChange)(String(key))
      }}
      {...(onBlur && { onBlur })}
      defaultItems={suggestions.map((suggestion) => ({ id: suggestion }))}
    >
      <FieldLabel label={label} isHidden={isLabelHidden} isRequired={rest.isRequired} />
      <Group className="suggest-field">
        <Input
          className="field-input"
          dir="auto"
          spellCheck={false}
          {...(placeholder !== undefined && { placeholder })}
          {...(onKeyDown && { onKeyDown })}
        />
        {suggestions.length > 0 && (
          <Button className="suggest-button">
            <ChevronDown aria-hidden />
          </Button>
        )}
      </Group>
      <FieldNotes description={description} errorMessage={errorMessage} />
      <OptionPopover count={suggestions.length}>
        <ListBox className="select-list">
          {({ id }: { readonly id: string }) => (
            <ListBoxItem id={id} textValue={id} className="select-item">
              {id}
            </ListBoxItem>
          )}
        </ListBox>
      </OptionPopover>
    </ComboBox>
  )
}
