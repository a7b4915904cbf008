import { type ArrayFieldItemTemplateProps, type ArrayFieldTemplateProps, buttonId } from '@rjsf/utils'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { IconButton } from '../buttons/icon-button.tsx'
import { keepFocus } from '../dialogs/focus-afterwards.ts'
import { AddButton, FormGroup } from './group.tsx'
import type { FormValue } from './schema-validator.ts'

/** A list whose entries can be added, moved and removed. */
export function ArrayFieldTemplate(props: ArrayFieldTemplateProps<FormValue[]>) {
  const {
    title,
    schema,
    items,
    canAdd = false,
    onAddClick,
    fieldPathId,
    disabled,
    rawErrors = [],
    optionalDataControl,
  } = props
  return (
    <FormGroup title={title} description={schema.description}>
      {optionalDataControl}
      {items}
      {rawErrors.length > 0 && <p className="field-error">{rawErrors.join('; ')}</p>}
      {canAdd && (
        <AddButton id={buttonId(fieldPathId, 'add')} onAdd={onAddClick} isDisabled={disabled} what={title} />
      )}
    </FormGroup>
  )
}

/** An entry of a list with its buttons. */
export function ArrayFieldItemTemplate({
  children,
  buttonsProps,
  index,
}: ArrayFieldItemTemplateProps<FormValue[]>) {
  const {
    hasMoveUp,
    hasMoveDown,
    hasRemove,
    onMoveUpItem,
    onMoveDownItem,
    onRemoveItem,
    disabled = false,
  } = buttonsProps
  const name = `entry ${index + 1}`
  /** The button that was pressed goes with the entry, or takes no press any more where there is no further place. */
  const press = (change: () => void) => () => {
    change()
    keepFocus()
  }
  return (
    <div className="config-item">
      <div className="grow">{children}</div>
      <div className="row">
        {(hasMoveUp || hasMoveDown) && (
          <>
            <IconButton
              label={`Move ${name} up`}
              icon={<ArrowUp aria-hidden />}
              isDisabled={disabled || !hasMoveUp}
              onPress={press(onMoveUpItem)}
            />
            <IconButton
              label={`Move ${name} down`}
              icon={<ArrowDown aria-hidden />}
              isDisabled={disabled || !hasMoveDown}
              onPress={press(onMoveDownItem)}
            />
          </>
        )}
        {hasRemove && (
          <IconButton
            label={`Remove ${name}`}
            icon={<Trash2 aria-hidden />}
            isDisabled={disabled}
            onPress={press(onRemoveItem)}
          />
        )}
      </div>
    </div>
  )
}
