// The default theme without its fonts, which are large, and with our few lines of style.
import theme from "vitepress/theme-without-fonts"
import "./style.css"

export default theme
