package server

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// An image stands in a prompt as a mark that names it, so that the same image is the same
// tokens: a real server compares the hashes of images where it looks for the common prefix.
const (
	imageOpen  = "<|image "
	imageClose = "|>"
	imageName  = 16 // hexadecimal digits of its hash
	imageSize  = len(imageOpen) + imageName + len(imageClose)
)

// shown is how images stand in a message: before its text, as a server puts them.
func shown(images [][]byte) string {
	var b strings.Builder
	for _, image := range images {
		sum := sha256.Sum256(image)
		b.WriteString(imageOpen + hex.EncodeToString(sum[:])[:imageName] + imageClose)
	}
	return b.String()
}

// isImage reports whether an image stands in a text at i.
func isImage(text string, i int) bool {
	return len(text)-i >= imageSize && strings.HasPrefix(text[i:], imageOpen) && strings.HasSuffix(text[:i+imageSize], imageClose)
}

// withoutImages is a text without the images that stand in it, and how many they are.
func withoutImages(text string) (rest string, images int) {
	var b strings.Builder
	for {
		i := strings.Index(text, imageOpen)
		switch {
		case i < 0:
			b.WriteString(text)
			return b.String(), images
		case isImage(text, i):
			b.WriteString(text[:i])
			text = text[i+imageSize:]
			images++
		default:
			b.WriteString(text[:i+len(imageOpen)])
			text = text[i+len(imageOpen):]
		}
	}
}
