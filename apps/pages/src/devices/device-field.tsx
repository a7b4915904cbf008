import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button, ComboBox, Group, Input, ListBox, ListBoxItem } from 'react-aria-components'
import { FieldLabel } from '../components/fields/field-parts.tsx'
import { OptionPopover } from '../components/fields/option-popover.tsx'
import '../components/fields/suggest-field.css'
import { useDebounced } from '../components/use-debounced.ts'
import { everyDevice } from './device-filter.ts'
import { useDevice, useDevices } from './use-devices.ts'

interface DeviceFieldProps {
  /** Empty for any. */
  readonly deviceId: string
  readonly onChange: (deviceId: string) => void
}

/** One device of however many, found by its name. The server looks for it. */
export function DeviceField({ deviceId, onChange }: DeviceFieldProps) {
  const [written, setWritten] = useState('')
  const { device } = useDevice(deviceId, deviceId !== '')
  const known = deviceId === '' ? undefined : device
  // The name of what is chosen is in the field: that is no search.
  const text = useDebounced(written === known?.name ? '' : written)
  const { data } = useDevices({ ...everyDevice, text })
  const items = useMemo(() => {
    const found = data?.map(({ id, name }) => ({ id, name })) ?? []
    if (known === undefined || found.some(({ id }) => id === known.id)) return found
    return [{ id: known.id, name: known.name }, ...found]
  }, [data, known])
  return (
    <ComboBox
      className="field"
      items={items}
      allowsEmptyCollection
      value={deviceId === '' ? null : deviceId}
      onInputChange={setWritten}
      onChange={(key) => onChange(key === null ? '' : String(key))}
      // What the address names has a name only once the device was read.
      key={deviceId !== '' && !items.some(({ id }) => id === deviceId) ? 'unknown' : 'known'}
    >
      <FieldLabel label="Device" isHidden />
      <Group className="suggest-field">
        <Input className="field-input" placeholder="Any device" dir="auto" />
        {deviceId !== '' && (
          <Button slot={null} className="suggest-button" aria-label="Any device" onPress={() => onChange('')}>
            <X aria-hidden />
          </Button>
        )}
      </Group>
      <OptionPopover count={items.length}>
        <ListBox className="select-list">
          {({ id, name }: { readonly id: string; readonly name: string }) => (
            <ListBoxItem id={id} textValue={name} className="select-item truncate">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </OptionPopover>
    </ComboBox>
  )
}
