// Command readme is the program that README.md shows.
package main
