import { menuStaysOpen } from "./menu.js"
import { offerSearch } from "./search-box.js"
import { showSearchPage } from "./search-page.js"
import { offerTheme } from "./theme-button.js"

offerTheme()
menuStaysOpen()
offerSearch()
void showSearchPage()
