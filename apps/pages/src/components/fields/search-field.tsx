import { Search, X } from 'lucide-react'
import {
  Button,
  Input,
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'
import './search-field.css'

/** What a {@link SearchField} takes besides what every search field takes. */
interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'children' | 'className'>, FieldTexts {
  readonly placeholder?: string
}

/** Text to search for, which Escape clears. */
export function SearchField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  ...rest
}: SearchFieldProps) {
  return (
    <AriaSearchField {...rest} {...(errorMessage && { isInvalid: true })} className="field">
      <FieldLabel label={label} isHidden={isLabelHidden} isRequired={rest.isRequired} />
      <div className="search-field">
        <Search aria-hidden className="search-field-icon" />
        <Input className="field-input" dir="auto" {...(placeholder !== undefined && { placeholder })} />
        <Button className="search-field-clear">
          <X aria-hidden />
        </Button>
      </div>
      <FieldNotes description={description} errorMessage={errorMessage} />
    </AriaSearchField>
  )
}
