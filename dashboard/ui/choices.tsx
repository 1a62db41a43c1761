/** A row of choices of which one is taken: a radio group whose labels look like buttons. */

interface Props<Choice extends string> {
  /** Said by screen readers. */
  readonly label: string
  /** The name of the inputs, which no other group of the page has. */
  readonly name: string
  readonly choices: readonly Choice[]
  readonly chosen: Choice
  readonly choose: (choice: Choice) => void
}

export function Choices<Choice extends string>({ label, name, choices, chosen, choose }: Props<Choice>) {
  return (
    <div role="radiogroup" aria-label={label} className="flex flex-wrap gap-2">
      {choices.map((each) => (
        <label
          key={each}
          className="flex h-9 cursor-pointer items-center gap-2 rounded border border-edge px-3 text-sm has-checked:border-accent has-checked:bg-selected has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
        >
          <input type="radio" name={name} className="sr-only" checked={each === chosen} onChange={() => choose(each)} />
          {each}
        </label>
      ))}
    </div>
  )
}
