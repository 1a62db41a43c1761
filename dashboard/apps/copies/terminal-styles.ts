/**
 * The styles of the emulator under a strict Content-Security-Policy. It sets them in `<style>` elements, which the
 * policy refuses; sheets that a script makes are allowed.
 */
import type { Terminal } from '@xterm/xterm'

/** As `terminal.open`, during which all of those elements are made. */
export function openWithoutInlineStyles(terminal: Terminal, box: HTMLElement): void {
  const createElement = document.createElement.bind(document)
  const made = (name: string, options?: ElementCreationOptions): HTMLElement =>
    name === 'style' ? sheetElement(createElement('i')) : createElement(name, options)
  document.createElement = made
  try {
    terminal.open(box)
  } finally {
    // The one of the prototype appears again.
    Reflect.deleteProperty(document, 'createElement')
  }
}

/** An element whose text is a sheet of the document until it is removed. */
function sheetElement(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  element.hidden = true
  Object.defineProperty(element, 'textContent', {
    set(css: string) {
      sheet.replaceSync(css)
    },
  })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
    Element.prototype.remove.call(element)
  }
  return element
}
